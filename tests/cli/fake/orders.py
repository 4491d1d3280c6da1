"""orders.py - lets a stand-in of a program do run after run as it is told: orders.py PROGRAM NAME (core/sys/order.h)."""

import ctypes
import os
import signal
import socket
import subprocess
import sys

program, name = sys.argv[1:]
if os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("SLURM_PROCID", "0")) != "0":
    sys.exit(0)  # it would do nothing
libc = ctypes.CDLL(None)
child = None


def hand_on(number, frame):
    if child:
        child.send_signal(number)
    else:
        sys.exit(0)


def follow():
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


for number in (signal.SIGUSR1, signal.SIGTERM):
    signal.signal(number, hand_on)
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as talk:
    talk.connect("\0" + name)
    while order := talk.recv(16384):
        log, *args = (word.decode() for word in order.split(b"\0")[:-1])
        with open(log, "ab") as out:
            child = subprocess.Popen([program, *args], stdout=out, stderr=out, preexec_fn=follow)
            code = child.wait()
        child = None
        if code < 0:  # a rank that is killed takes the others with it
            signal.signal(-code, signal.SIG_DFL) if code != -signal.SIGKILL else None
            os.kill(os.getpid(), -code)
        talk.send(code.to_bytes(4, sys.byteorder))

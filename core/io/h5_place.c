/* h5_place.c - see h5_place.h. */
#include "core/io/h5_place.h"

#include <stdlib.h>

struct file {
    H5FD_t base;  /* first, as HDF5 wants it */
    H5FD_t *sec2; /* owned */
    struct sl_h5_place *place;
};

/* What the properties of access hold; HDF5 copies it. */
struct properties {
    struct sl_h5_place *place;
};

static H5FD_t *sec2_of(const H5FD_t *f)
{
    return ((const struct file *)f)->sec2;
}

static H5FD_t *open_sec2(const char *name, unsigned flags, haddr_t most)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5FD_t *sec2 = H5Pset_fapl_sec2(access) >= 0 ? H5FDopen(name, flags, access, most) : NULL;
    H5Pclose(access);
    return sec2;
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    const struct properties *p = H5Pget_driver_info(access);
    struct file *f = p ? calloc(1, sizeof *f) : NULL;
    if (!f) return NULL;
    f->place = p->place;
    f->sec2 = open_sec2(name, flags, most);
    if (f->sec2) return &f->base;
    free(f);
    return NULL;
}

static herr_t close_file(H5FD_t *f)
{
    herr_t code = H5FDclose(sec2_of(f));
    free(f);
    return code;
}

static int compare(const H5FD_t *a, const H5FD_t *b)
{
    return H5FDcmp(sec2_of(a), sec2_of(b));
}

static herr_t query(const H5FD_t *f, unsigned long *flags)
{
    *flags = 0;
    return f && H5FDquery(sec2_of(f), flags) < 0 ? -1 : 0;
}

static haddr_t get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    return H5FDget_eoa(sec2_of(f), type);
}

static herr_t set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t at)
{
    return H5FDset_eoa(sec2_of(f), type, at);
}

static haddr_t get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    return H5FDget_eof(sec2_of(f), type);
}

static herr_t get_handle(H5FD_t *f, hid_t access, void **handle)
{
    return H5FDget_vfd_handle(sec2_of(f), access, handle);
}

static herr_t read_bytes(H5FD_t *f, H5FD_mem_t type, hid_t how, haddr_t at, size_t n, void *bytes)
{
    return H5FDread(sec2_of(f), type, how, at, n, bytes);
}

static herr_t write_bytes(H5FD_t *f, H5FD_mem_t type, hid_t how, haddr_t at, size_t n,
                          const void *bytes)
{
    struct sl_h5_place *place = ((struct file *)f)->place;
    if (type != H5FD_MEM_DRAW || !place->wanted)
        return H5FDwrite(sec2_of(f), type, how, at, n, bytes);
    place->at = at, place->size = n;
    return 0;
}

static herr_t flush(H5FD_t *f, hid_t how, hbool_t closing)
{
    return H5FDflush(sec2_of(f), how, closing);
}

/* A flush keeps what is reserved beyond the end. */
static herr_t truncate_file(H5FD_t *f, hid_t how, hbool_t closing)
{
    return closing ? H5FDtruncate(sec2_of(f), how, closing) : 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION /* HDF5 1.14 */
    .version = H5FD_CLASS_VERSION,
    .value = H5_VFD_RESERVED + 1,
#endif
    .name = "sluice_place",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct properties),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .get_handle = get_handle,
    .read = read_bytes,
    .write = write_bytes,
    .flush = flush,
    .truncate = truncate_file,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

herr_t sl_h5_place_access(hid_t access, struct sl_h5_place *place)
{
    struct properties p = {place};
    hid_t id = H5FDregister(&driver);
    herr_t code = id < 0 ? -1 : H5Pset_driver(access, id, &p);
    if (id >= 0) H5FDunregister(id);
    return code;
}

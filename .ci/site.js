// The search of the site: SEARCH (search.js) has [page, anchor, title, text] of each part. All words must be there; titles come first.
"use strict";
const box = document.getElementById("search"), list = document.getElementById("results");

function weight(entry, words) {
    const title = entry[2].toLowerCase(), all = title + " " + entry[3].toLowerCase(), asked = words.join(" ");
    if (!words.every(w => all.includes(w))) return 0;
    if (title === asked) return 5;
    if (title.startsWith(asked)) return 4;
    return words.every(w => title.includes(w)) ? 3 : words.some(w => title.includes(w)) ? 2 : 1;
}

function show() {
    const words = box.value.toLowerCase().split(/\s+/).filter(w => w);
    const found = SEARCH.map(e => [weight(e, words), e]).filter(f => f[0]).sort((a, b) => b[0] - a[0]).slice(0, 20);
    list.replaceChildren(...(words.length ? found : []).map(([, e]) => {
        const item = document.createElement("li"), link = item.appendChild(document.createElement("a"));
        link.href = e[0] + ".html" + (e[1] ? "#" + e[1] : "");
        link.textContent = e[2];
        link.appendChild(document.createElement("small")).textContent = e[0] + ": " + e[3].slice(0, 120);
        link.addEventListener("click", () => { list.hidden = true; });
        return item;
    }));
    if (words.length && !found.length) list.append("nothing found");
    list.hidden = !words.length;
}

box.addEventListener("input", show);
box.addEventListener("keydown", e => {
    if (e.key === "Escape") { box.value = ""; show(); }
    if (e.key === "Enter" && list.querySelector("a")) list.querySelector("a").click();
});
document.addEventListener("keydown", e => {
    if (e.key === "/" && document.activeElement !== box) { e.preventDefault(); box.focus(); }
});
box.value = new URLSearchParams(location.search).get("q") || "";
if (box.value) show();

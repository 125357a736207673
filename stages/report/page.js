
"use strict";
const saveFile = (content, type, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(content, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
// What is folded away is printed too.
(() => {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open]):not(.screen)")];
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", () => { for (const d of opened) d.open = false; });
})();
// Only what has something to scroll to is a stop on the way through the page.
(() => {
  const all = [...document.querySelectorAll(".scroll, .pan")].map(box => [box, { role: "region", tabindex: "0", "aria-label": box.getAttribute("aria-label") }]);
  const see = () => {
    for (const [box, stop] of all) {
      const more = box.scrollWidth > box.clientWidth; // by one pixel too: browsers stop there
      for (const [name, value] of Object.entries(stop)) more ? box.setAttribute(name, value) : box.removeAttribute(name);
    }
  };
  addEventListener("resize", see);
  addEventListener("load", see);
  for (const d of document.querySelectorAll("details")) d.addEventListener("toggle", see);
})();
// Figures are saved as they are printed: as SVG, and as PNG of 300 dots an inch.
(() => {
  // The density in dots a meter (chunk pHYs) behind the header of a PNG: programs that lay out pages read it.
  const density = Uint8Array.from([0, 0, 0, 9, 112, 72, 89, 115, 0, 0, 46, 35, 0, 0, 46, 35, 1, 120, 165, 63, 118]);
  const about = decodeURIComponent(location.pathname).replace(/^.*\//, "").replace(/\.html?$/, "");
  for (const img of document.querySelectorAll('figure > img[src^="data:image/svg"], .pan > img[src^="data:image/svg"]')) {
    const caption = img.closest("figure").querySelector("figcaption"), label = caption.querySelector("strong").textContent.split(".")[0];
    const text = decodeURIComponent(img.getAttribute("src").replace(/^[^,]*,/, "")), points = / width="([0-9.]+)pt"/.exec(text);
    const box = document.createElement("span"), name = about + " " + label.toLowerCase();
    box.className = "save";
    for (const kind of ["SVG", "PNG"]) {
      const b = document.createElement("button");
      b.textContent = kind;
      b.setAttribute("aria-label", "Save " + label + " as " + kind);
      b.addEventListener("click", () => {
        if (kind === "SVG") return saveFile([text], "image/svg+xml", name + ".svg");
        const canvas = document.createElement("canvas"), inches = points ? points[1] / 72 : img.naturalWidth / 96, scale = inches * 300 / img.naturalWidth;
        canvas.width = Math.round(img.naturalWidth * scale);
        canvas.height = Math.round(img.naturalHeight * scale);
        canvas.getContext("2d").drawImage(img, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(png => saveFile([png.slice(0, 33), density, png.slice(33)], "image/png", name + ".png"), "image/png");
      });
      box.append(b);
    }
    caption.append(box);
  }
})();
// A served page of a run that goes on shows how far it is, and is loaded again when there are more results.
(() => {
  const live = document.querySelector('meta[name="live"]');
  if (!live) return;
  const line = document.createElement("p"), begun = Date.now();
  line.className = "live";
  line.setAttribute("role", "status");
  document.querySelector(".top").append(line);
  const show = text => { if (line.textContent !== text) line.textContent = text; };
  const ask = () => fetch("state").then(r => r.json()).then(now => {
    show(now.text);
    if (now.version !== live.content && (!now.text || Date.now() - begun > 10000)) location.reload();
  }).catch(() => show("The program that serves this page has stopped.")).finally(() => setTimeout(ask, 3000));
  ask();
})();
// Ratings of scans: kept by the browser, and saved as a table that a cohort's exclude reads.
(() => {
  const boxes = [...document.querySelectorAll(".rating")], links = [...document.querySelectorAll("a.sheet")];
  if (!boxes.length && !links.length) return;
  // Pages of single scans lie in NAME_quality/ beside NAME.html, and share one set of ratings with it.
  const alone = document.body.classList.contains("sheet"), whole = location.pathname.replace(/\.html$/, "");
  const about = alone ? location.pathname.replace(/_quality\/[^/]*$/, "") : whole;
  const words = ["pass", "maybe", "fail"], given = {};
  let kept = true;
  // Each rating has an entry of its own, so that pages that are open side by side overwrite no others.
  const place = id => "rating of " + JSON.stringify([about, id]);
  const read = () => { try { for (const id of who()) given[id] = localStorage.getItem(place(id)) || given[id]; } catch { kept = false; } };
  const make = (tag, text, into) => { const e = document.createElement(tag); e.textContent = text; into.append(e); return e; };
  const bar = document.querySelector(".ratings") || document.createElement("div");
  bar.className = "ratings";
  for (const a of links) a.setAttribute("href", whole.replace(/^.*\//, "") + "_quality/" + encodeURIComponent(a.dataset.file));
  if (!alone) (boxes[0] || links[0]).closest(boxes.length ? "figure" : "details, .scroll").before(bar);
  // Keys of one letter can be switched off: speech input types letters too (WCAG 2.1.4).
  const keys = document.createElement("input");
  keys.type = "checkbox";
  keys.checked = true;
  if (links.length) make("span", "Ratings are given on the pages of the scans.", bar);
  else make("label", " Keys rate " + (alone ? "this scan" : "the scan in the middle of the window") + ": 1 or p pass, 2 or m maybe, 3 or f fail.", bar).prepend(keys);
  if (alone) make("a", "report and ratings", bar).href = "../" + about.replace(/^.*\//, "") + ".html";
  const scans = links.length ? links : boxes, who = () => scans.map(e => e.dataset.participant);
  const part = e => e.closest(links.length ? "tr" : "figure"), shown = () => boxes.filter(box => !part(box).hidden);
  // A served page keeps the ratings in a file beside it, whose address is in this element.
  const file = document.querySelector('meta[name="ratings"]')?.content;
  let lost = "";
  read();
  const progress = alone ? undefined : make("progress", "", bar);
  if (progress) {
    progress.max = scans.length;
    progress.setAttribute("aria-label", "Scans rated");
  }
  const count = make("span", "", bar);
  count.setAttribute("role", "status");
  // The worst scans by a measure, or those without a rating.
  const measures = e => JSON.parse(e.dataset.measures || "[]"), most = Math.max(1, Math.min(10, Math.floor(scans.length / 2)));
  const names = [...new Set(scans.flatMap(e => measures(e).map(m => m[0])))];
  if (!alone && scans.length > 1) {
    const label = make("label", "Show ", bar), choice = make("select", "", label);
    for (const text of ["all scans", "scans without a rating", ...names.map(name => "the " + most + " worst in " + name)]) make("option", text, choice);
    choice.addEventListener("change", () => {
      const name = names[choice.selectedIndex - 2], of = e => measures(e).find(m => m[0] === name);
      const worst = new Set(name && scans.filter(of).sort((a, b) => (of(b)[1] - of(a)[1]) * (of(a)[2] ? -1 : 1)).slice(0, most));
      for (const e of scans) part(e).hidden = choice.selectedIndex === 1 ? !!given[e.dataset.participant] : !!name && !worst.has(e);
    });
  }
  const save = alone ? undefined : make("button", "Save ratings.tsv", bar);
  const show = () => {
    for (const box of boxes)
      for (const b of box.children) b.setAttribute("aria-pressed", given[box.dataset.participant] === b.textContent);
    for (const a of links) {
      const told = a.nextElementSibling || make("span", "", a.parentNode);
      told.className = "told";
      told.textContent = given[a.dataset.participant] ? " " + given[a.dataset.participant] : "";
    }
    const n = who().filter(id => given[id]).length;
    if (progress) progress.value = n;
    count.textContent = (alone ? (n ? "This scan is rated" : "This scan is not rated") : n + " of " + who().length + " rated") + (file && !lost ? ", saved in " + decodeURIComponent(file).replace(/^.*\//, "") + "." : lost ? lost : kept ? "." :
      alone ? "; this browser keeps no ratings for the report: note them elsewhere." : "; this browser keeps no ratings: save them before you close the page.");
  };
  const rate = (box, word) => {
    const id = box.dataset.participant;
    given[id] = word;
    try { localStorage.setItem(place(id), word); } catch { kept = false; }
    show();
    if (!file) return;
    const failed = why => { lost = "; the last rating was not saved: " + why; show(); };
    fetch(file, { method: "PUT", body: JSON.stringify({ participant: id, rating: word }) })
      .then(async r => { if (!r.ok) failed(await r.text()); else if (lost) { lost = ""; show(); } }, e => failed(e.message));
  };
  for (const box of boxes)
    for (const word of words) {
      const b = make("button", word, box);
      b.dataset.key = words.indexOf(word) + 1;
      b.addEventListener("click", () => rate(box, word));
    }
  addEventListener("keydown", e => {
    const word = words["123".indexOf(e.key)] || words["pmf".indexOf(e.key)];
    if (!keys.checked || !word || e.ctrlKey || e.metaKey || e.altKey || e.repeat || /^(TEXTAREA|SELECT|CANVAS)$/.test(e.target.tagName) || e.target.matches("input:not([type=checkbox])")) return;
    const middle = innerHeight / 2;
    const seen = shown(), focused = seen.findIndex(box => box.contains(e.target)); // its scan is rated wherever the page has scrolled to
    const at = alone ? 0 : focused >= 0 ? focused : seen.findIndex(box => { const r = box.closest("figure").getBoundingClientRect(); return r.top <= middle && middle <= r.bottom; });
    if (at < 0) return;
    rate(seen[at], word);
    document.getElementById("next")?.click();
    if (at + 1 === seen.length) return;
    if (focused >= 0) seen[at + 1].firstChild.focus({ preventScroll: true });
    part(seen[at + 1]).scrollIntoView({ block: "center", behavior: "instant" }); // a smooth one would leave the next key to this scan
  });
  save?.addEventListener("click", () => {
    const lines = who().map(id => id + "\t" + (given[id] || "n/a") + "\n");
    saveFile(["participant_id\trating\n", ...lines], "text/tab-separated-values", "ratings.tsv");
  });
  show();
  if (file) fetch(file).then(r => r.ok ? r.text() : "", () => "").then(text => {
    for (const line of text.split("\n").slice(1)) {
      const [id, word] = line.split("\t");
      if (words.includes(word)) given[id] = word;
    }
    show();
  });
  // Ratings of other pages, when a reader comes back to this one.
  for (const event of ["pageshow", "storage"]) addEventListener(event, () => { read(); show(); });
})();

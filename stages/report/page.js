
"use strict";
// What is folded away is printed too.
(() => {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open]):not(.small):not(.screen)")];
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", () => { for (const d of opened) d.open = false; });
})();
// Only what has something to scroll to is a stop on the way through the page.
(() => {
  const all = [...document.querySelectorAll(".scroll, .pan")].map(box => [box, { role: "region", tabindex: "0", "aria-label": box.getAttribute("aria-label") }]);
  const see = () => {
    for (const [box, stop] of all) {
      const more = box.scrollWidth > box.clientWidth + 1;
      for (const [name, value] of Object.entries(stop)) more ? box.setAttribute(name, value) : box.removeAttribute(name);
    }
  };
  addEventListener("resize", see);
  addEventListener("load", see);
  for (const d of document.querySelectorAll("details")) d.addEventListener("toggle", see);
})();
// Ratings of scans: kept by the browser, and saved as a table that a cohort's exclude reads.
(() => {
  const boxes = [...document.querySelectorAll(".rating")];
  if (!boxes.length) return;
  const words = ["pass", "maybe", "fail"], place = "ratings of " + location.pathname, given = {};
  let kept = true;
  try { Object.assign(given, JSON.parse(localStorage.getItem(place) || "{}")); } catch { kept = false; }
  const make = (tag, text, into) => { const e = document.createElement(tag); e.textContent = text; into.append(e); return e; };
  const bar = document.createElement("div");
  bar.className = "ratings";
  boxes[0].closest("figure").before(bar);
  make("span", "Rate the scan in view: 1 or p pass, 2 or m maybe, 3 or f fail.", bar);
  const count = make("span", "", bar);
  count.setAttribute("role", "status");
  const save = make("button", "Save ratings.tsv", bar);
  const show = () => {
    for (const box of boxes)
      for (const b of box.children) b.setAttribute("aria-pressed", given[box.dataset.participant] === b.textContent);
    const n = boxes.filter(box => given[box.dataset.participant]).length;
    count.textContent = n + " of " + boxes.length + " rated" + (kept ? "." : "; this browser keeps no ratings: save them before you close the page.");
  };
  const rate = (box, word) => {
    given[box.dataset.participant] = word;
    try { localStorage.setItem(place, JSON.stringify(given)); } catch { kept = false; }
    show();
  };
  for (const box of boxes)
    for (const word of words) make("button", word, box).addEventListener("click", () => rate(box, word));
  addEventListener("keydown", e => {
    const word = words["123".indexOf(e.key)] || words["pmf".indexOf(e.key)];
    if (!word || e.ctrlKey || e.metaKey || e.altKey || e.repeat || /^(INPUT|TEXTAREA|SELECT|CANVAS)$/.test(e.target.tagName)) return;
    const middle = innerHeight / 2;
    const at = boxes.findIndex(box => { const r = box.closest("figure").getBoundingClientRect(); return r.top <= middle && middle <= r.bottom; });
    if (at < 0) return;
    rate(boxes[at], word);
    if (at + 1 < boxes.length) boxes[at + 1].closest("figure").scrollIntoView({ block: "center", behavior: "instant" }); // a smooth one would leave the next key to this scan
  });
  save.addEventListener("click", () => {
    const lines = boxes.map(box => box.dataset.participant + "\t" + (given[box.dataset.participant] || "n/a") + "\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["participant_id\trating\n", ...lines], { type: "text/tab-separated-values" }));
    link.download = "ratings.tsv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
  show();
})();

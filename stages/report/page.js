
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

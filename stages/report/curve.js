
"use strict";
// Specification curves: filtered by decision, and the settings of one universe.
for (const box of document.querySelectorAll(".curve")) {
  const of = JSON.parse(box.dataset.curve), names = of.decisions.map(d => d.name);
  // A universe: the place of its option in each decision, effect, interval, null band, p, name, stated in advance.
  const all = of.universes.map(([at, effect, low, high, nullLow, nullHigh, p, title, headline]) =>
    ({ at, effect, low, high, nullLow, nullHigh, p, title, headline, name: names.map((d, i) => d + "=" + of.decisions[i].options[at[i]].name).join(" ") }));
  const make = (tag, text, into) => { const e = document.createElement(tag); e.textContent = text; into.append(e); return e; };
  const draw = (tag, attributes, into, text) => {
    const e = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    if (text !== undefined) e.textContent = text;
    into.append(e);
    return e;
  };
  const fixed = x => (Object.is(Math.round(x * 1000), -0) ? 0 : x).toFixed(3).replace("-", "−");
  const controls = box.querySelector(".controls"), plot = box.querySelector(".plot"), status = box.querySelector("[role=status]"), list = box.querySelector("dl");
  const boxes = of.decisions.map(d => {
    const group = make("fieldset", "", controls);
    make("legend", d.name, group);
    return d.options.map(o => {
      const input = document.createElement("input");
      input.type = "checkbox";
      input.checked = true;
      make("label", o.name, group).prepend(input);
      input.addEventListener("change", () => show());
      return input;
    });
  });
  const slide = make("label", "Universe ", controls), slider = document.createElement("input");
  slider.type = "range";
  slider.min = 1;
  slide.append(slider);
  slide.className = "slide";
  let shown = all, at = Math.max(0, all.findIndex(u => u.headline)), mark, place;
  const choose = i => {
    at = Math.max(0, Math.min(shown.length - 1, i));
    const u = shown[at];
    slider.disabled = !u;
    if (!u) return;
    slider.value = at + 1;
    slider.setAttribute("aria-valuetext", u.name);
    const x = place(at);
    mark.setAttribute("x1", x);
    mark.setAttribute("x2", x);
    const interval = u.low === null ? "" : " (95% CI " + fixed(u.low) + " to " + fixed(u.high) + ")";
    status.textContent = "Number " + (at + 1) + " of " + shown.length + ": " + u.title + ". " + of.effect + ": " + fixed(u.effect) + interval + (of.untested ? "" : ", " + u.p[1]) + (u.headline ? ", " + of.headline : "") + ".";
    list.replaceChildren();
    of.decisions.forEach((d, i) => {
      const o = d.options[u.at[i]];
      make("dt", d.name + "=" + o.name, list);
      make("dd", (o.sets || []).join(", "), list);
    });
  };
  const count = make("p", "", box);
  count.className = "small";
  status.before(count);
  const show = () => {
    const before = shown[at];
    shown = all.filter(u => u.at.every((o, i) => boxes[i][o].checked));
    slider.max = Math.max(1, shown.length);
    const sorted = shown.map(u => u.effect), middle = sorted.length / 2;
    const median = (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2, below = shown.filter(u => u.p[0]).length;
    count.textContent = shown.length ? "Shown: " + shown.length + " of " + all.length + " universes; median effect " + fixed(median) + (of.untested ? "." : ", p < 0.05 in " + below + "." + (shown.length < all.length ? " The null band and the joint test are for all universes." : "")) :
      "No universe has these options.";
    const width = Math.max(420, plot.clientWidth), left = Math.min(220, 40 + 7 * Math.max(...of.decisions.flatMap(d => d.options.map(o => (d.name + ": " + o.name).length)))), right = 12, top = 10, high = 230, row = 17;
    const options = of.decisions.flatMap((d, i) => d.options.map((o, j) => ({ i, j, text: d.name + ": " + o.name })));
    const height = top + high + 20 + row * options.length, step = (width - left - right) / Math.max(1, shown.length);
    place = i => left + step * (i + 0.5);
    const values = shown.flatMap(u => [u.effect, u.low, u.high, u.nullLow, u.nullHigh]).filter(x => x !== null).concat(0), least = Math.min(...values), most = Math.max(...values);
    const y = v => top + (most - v) / (most - least || 1) * high;
    const svg = draw("svg", { viewBox: "0 0 " + width + " " + height, width, height, "aria-hidden": "true" }, plot);
    plot.replaceChildren(svg);
    if (shown.length === all.length && !of.untested) {
      const edge = (key, from) => from.map(i => place(i) + " " + y(all[i][key])).join("L"), up = all.map((_, i) => i);
      draw("path", { d: "M" + edge("nullHigh", up) + "L" + edge("nullLow", up.slice().reverse()) + "Z", class: "band" }, svg);
    }
    let unit = 0.1;
    while ((most - least) / unit > 8) unit *= 2;
    for (let v = Math.ceil(least / unit) * unit; v <= most + 1e-9; v += unit) {
      draw("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: Math.abs(v) < 1e-9 ? "zero" : "grid" }, svg);
      draw("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, svg, fixed(v).replace(/0+$/, "").replace(/\.$/, ""));
    }
    mark = draw("line", { y1: top, y2: height, class: "at" }, svg);
    const radius = Math.max(1.2, Math.min(4, step / 2.5));
    shown.forEach((u, i) => {
      if (u.low !== null) draw("line", { x1: place(i), x2: place(i), y1: y(u.low), y2: y(u.high), class: "ci" }, svg);
      draw("circle", { cx: place(i), cy: y(u.effect), r: radius, class: u.p[0] ? "filled" : "hollow" }, svg);
      if (u.headline) draw("circle", { cx: place(i), cy: y(u.effect), r: radius + 3.5, class: "ring" }, svg);
    });
    options.forEach((o, k) => {
      const middle = top + high + 14 + row * (k + 0.5);
      draw("text", { x: left - 6, y: middle + 4, "text-anchor": "end", class: boxes[o.i][o.j].checked ? "" : "out" }, svg, o.text);
      draw("line", { x1: left, x2: width - right, y1: middle, y2: middle, class: "grid" }, svg);
      shown.forEach((u, i) => {
        if (u.at[o.i] === o.j) draw("line", { x1: place(i), x2: place(i), y1: middle - 5, y2: middle + 5, class: "tick", "stroke-width": Math.max(1, Math.min(5, step * 0.6)) }, svg);
      });
    });
    const near = e => { const r = svg.getBoundingClientRect(); choose(Math.floor(((e.clientX - r.left) * width / r.width - left) / step)); };
    svg.addEventListener("pointermove", near);
    svg.addEventListener("click", near);
    choose(before ? Math.max(0, shown.indexOf(before)) : 0);
  };
  slider.addEventListener("input", () => choose(slider.value - 1));
  box.hidden = false;
  let last;
  const see = () => { if (box.open && plot.clientWidth !== last) { last = plot.clientWidth; show(); } };
  box.addEventListener("toggle", see);
  addEventListener("resize", see);
}

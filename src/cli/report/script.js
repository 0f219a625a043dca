// What a page does beyond being read: the picture under the pointer, layers of the map, names.
"use strict";
document.documentElement.classList.add("scripted");

(function names() {
  const button = document.getElementById("export-names");
  if (!button) return;
  const said = document.getElementById("export-said");
  // One line, without what `name --from` refuses.
  const clean = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ").trim();
  const cell = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  button.addEventListener("click", () => {
    const named = [...document.querySelectorAll("input[data-group]")]
      .map((field) => [field.dataset.group, clean(field.value)])
      .filter(([, name]) => name !== "");
    if (named.length === 0) {
      said.textContent = "No group has a name yet.";
      return;
    }
    const lines = named.map(([group, name]) => group + "," + cell(name) + "\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["group,name\n", ...lines], { type: "text/csv" }));
    link.download = "names.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    said.textContent = named.length + (named.length === 1 ? " name" : " names") + " exported.";
  });
})();

(function map() {
  const root = document.getElementById("map-data");
  if (!root) return;
  const data = JSON.parse(root.textContent);
  const box = document.querySelector(".map");
  const svg = box.querySelector(".plane svg");
  const tip = document.getElementById("map-tip");
  const thumb = tip.querySelector(".thumb");
  const picture = thumb.querySelector("img");
  const text = tip.querySelector("p");
  const hidden = new Set();

  for (const button of box.querySelectorAll("[data-toggles]"))
    button.addEventListener("click", () => {
      const layer = button.dataset.toggles;
      const shown = hidden.delete(layer);
      if (!shown) hidden.add(layer);
      button.setAttribute("aria-pressed", String(shown));
      box.querySelector('[data-layer="' + layer + '"]').classList.toggle("off", !shown);
    });

  const byClass = () => document.getElementById("colour-by-class")?.checked;
  const isShown = ([, , , group, cls]) =>
    byClass() ? cls >= 0 && !hidden.has("class" + cls) : !hidden.has("group" + group);

  function nearest(x, y, reach) {
    let best = -1, least = reach * reach;
    data.points.forEach((point, i) => {
      const distance = (point[0] - x) ** 2 + (point[1] - y) ** 2;
      if (distance < least && isShown(point)) { best = i; least = distance; }
    });
    return best;
  }

  function describe(point) {
    const [, , row, group, cls, path] = point;
    const lines = [data.groups[group]];
    if (cls >= 0) lines.push("truly " + data.classes[cls]);
    lines.push(path ?? "row " + row);
    return lines.join("\n");
  }

  function show(i) {
    if (picture) {
      const side = thumb.clientWidth || 110, column = i % data.columns, line = Math.floor(i / data.columns);
      picture.style.width = side * data.columns + "px";
      picture.style.left = -side * column + "px";
      picture.style.top = -side * line + "px";
    }
    text.textContent = describe(data.points[i]);
  }

  function follow(event) {
    const area = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / area.width;
    const i = nearest((event.clientX - area.left) * scale, (event.clientY - area.top) * scale, 14 * scale);
    tip.hidden = i < 0;
    if (i < 0) return;
    show(i);
    const frame = box.getBoundingClientRect();
    const x = event.clientX - frame.left, y = event.clientY - frame.top;
    const right = x + 18 + tip.offsetWidth <= frame.width;
    tip.style.left = Math.max(0, right ? x + 18 : x - 18 - tip.offsetWidth) + "px";
    tip.style.top = Math.max(0, y - tip.offsetHeight / 2) + "px";
  }
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
})();

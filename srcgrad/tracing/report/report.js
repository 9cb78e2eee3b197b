// Light up the counterparts of a line: under the mouse, and where the keyboard is.
"use strict";
for (const trace of document.querySelectorAll(".trace")) {
  const groups = new Map();
  for (const each of trace.querySelectorAll("[data-k]")) {
    const key = each.dataset.k;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(each);
  }
  const panes = [...trace.querySelectorAll("[data-pane]")];
  const linesOf = new Map(panes.map((pane) => [pane, [...pane.querySelectorAll("[data-k]")]]));
  const edges = new Map();
  for (const path of trace.querySelectorAll("path[data-from]")) {
    for (const end of [path.dataset.from, path.dataset.to]) {
      if (!edges.has(end)) edges.set(end, []);
      edges.get(end).push(path);
    }
  }
  let lit = [];
  let held = null; // the line that has the focus, or was clicked

  const lineAt = (target) => (target.closest ? target.closest("[data-k]") : null);

  function light(line, box) {
    for (const each of lit) each.classList.remove("on");
    lit = line ? [...groups.get(line.dataset.k)] : [];
    if (box) lit.push(...(edges.get(box.dataset.box) || []));
    for (const each of lit) each.classList.add("on");
  }

  // Within its pane: the page itself stays where it is.
  function reveal(line, pane) {
    const frame = pane.getBoundingClientRect();
    const place = line.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) {
      pane.scrollTop += place.top - frame.top - frame.height / 3;
    }
    if (!line.classList.contains("l") && (place.left < frame.left || place.right > frame.right)) {
      pane.scrollLeft += place.left - frame.left - frame.width / 3;
    }
  }

  function hold(line) {
    const own = line.closest("[data-pane]");
    held = line;
    light(line, line.closest("[data-box]"));
    for (const pane of panes) {
      const first = groups.get(line.dataset.k).find((each) => pane.contains(each));
      if (first) reveal(pane === own ? line : first, pane);
    }
    for (const each of linesOf.get(own) || []) each.tabIndex = each === line ? 0 : -1;
  }

  let pointer = "";
  trace.addEventListener("mousemove", (event) => {
    // Where lines are scrolled under it by keys, the mouse has not moved.
    const place = `${event.clientX} ${event.clientY}`;
    if (place === pointer) return;
    pointer = place;
    const box = event.target.closest ? event.target.closest("[data-box]") : null;
    const line = lineAt(event.target);
    if (line || box) light(line, box);
    else light(held, held && held.closest("[data-box]"));
  });
  trace.addEventListener("mouseleave", () => light(held, held && held.closest("[data-box]")));
  trace.addEventListener("focusin", (event) => {
    const line = lineAt(event.target);
    if (line && linesOf.has(line.closest("[data-pane]"))) hold(line);
  });
  trace.addEventListener("focusout", (event) => {
    if (event.relatedTarget && trace.contains(event.relatedTarget)) return;
    held = null;
    light(null);
  });
  trace.addEventListener("keydown", (event) => {
    const line = lineAt(event.target);
    const own = line && line.closest("[data-pane]");
    if (!linesOf.has(own) || event.ctrlKey || event.metaKey || event.altKey) return;
    const lines = linesOf.get(own);
    const at = lines.indexOf(line);
    const beside = (step) => {
      for (let k = panes.indexOf(own) + step; panes[k]; k += step) {
        const found = linesOf.get(panes[k]).find((each) => each.dataset.k === line.dataset.k);
        if (found) return found;
      }
      return null;
    };
    const next = {
      ArrowDown: () => lines[at + 1],
      ArrowUp: () => lines[at - 1],
      Home: () => lines[0],
      End: () => lines[lines.length - 1],
      ArrowRight: () => beside(1),
      ArrowLeft: () => beside(-1),
    }[event.key];
    if (event.key === "Escape") event.target.blur();
    if (!next) return;
    event.preventDefault();
    const found = next();
    if (!found) return;
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  for (const lines of linesOf.values()) {
    for (const [k, line] of lines.entries()) line.tabIndex = k ? -1 : 0;
  }
}

// A box above the tables of functions: rows that do not have the text are hidden.
document.addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll("article section section")].filter(
    (section) => section.querySelector(":scope table") && !section.querySelector("section"),
  );
  const rows = sections.flatMap((section) => {
    const module = section.querySelector("h3, h2").firstChild.textContent;
    return [...section.querySelectorAll("tbody tr")].map((row) => ({
      row,
      section,
      text: `${module}.${row.textContent.trim()}`.toLowerCase(),
    }));
  });
  if (rows.length === 0) return;

  const box = document.createElement("form");
  box.className = "search-tables";
  box.role = "search";
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Search the tables: cholesky, stats.norm, refused";
  input.setAttribute("aria-label", "Search the tables of functions");
  const count = document.createElement("output");
  box.append(input, count);
  box.addEventListener("submit", (event) => event.preventDefault());

  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    const shown = new Set();
    for (const { row, section, text } of rows) {
      const fits = words.every((word) => text.includes(word));
      row.hidden = !fits;
      if (fits) {
        found += 1;
        shown.add(section);
      }
    }
    for (const section of sections) {
      section.hidden = words.length > 0 && !shown.has(section);
    }
    count.textContent = words.length > 0 ? `${found} of ${rows.length} functions` : "";
  };
  input.addEventListener("input", show);
  sections[0].before(box);

  // A search may be linked to: coverage.html?find=cholesky
  const wanted = new URLSearchParams(window.location.search).get("find");
  if (wanted) {
    input.value = wanted;
    show();
    box.scrollIntoView();
  }
});

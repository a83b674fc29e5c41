// Formulas are set by KaTeX, which the site has in a folder of its own.
for (const element of document.querySelectorAll(".arithmatex")) {
  const displayMode = element.tagName === "DIV";
  katex.render(element.textContent.slice(2, -2), element, { displayMode, throwOnError: false });
}

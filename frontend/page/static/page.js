// The page: sends questions, shows answers. Texts reach the document as text alone.

const $ = (id) => document.getElementById(id);

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

// What is asked: only what the reader has said.
const asked = { wrt: [], dims: {}, assume: {} };
let round = 0;

const question = (part) => ({
  part, text: $("text").value, notation: $("notation").value, wrt: asked.wrt, dims: asked.dims,
  assume: asked.assume, layout: $("layout").value, ...(part === "compare" && { other: $("other").value }),
});

async function ask(part) {
  try {
    const response = await fetch("answer", {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify(question(part)),
    });
    return await response.json();
  } catch {
    return { error: { message: "the server does not answer; is it still running?" } };
  }
}

function typeset(target, latex) {
  if (latex) katex.render(latex, target, { displayMode: true, throwOnError: false, trust: false, maxExpand: 1000, maxSize: 20 });
  else target.textContent = "The formula is too long to be typeset; its code is below.";
}

// A mistake is shown below the field that has it, at its place.
function complain(error) {
  const field = error?.field === "other" ? "other" : "text";
  for (const name of ["text", "other"]) {
    const wrong = error && name === field;
    $(`${name}-error`).hidden = !wrong;
    $(name).setAttribute("aria-invalid", Boolean(wrong));
  }
  if (!error) return;
  const expected = error.expected?.length ? `, expected ${error.expected.join(" or ")}` : "";
  const shown = [element("div", { textContent: error.message + expected })];
  if (error.line) {
    const before = $(field).value.split("\n").slice(0, error.line - 1);
    const line = $(field).value.split("\n")[error.line - 1] ?? "";
    // Of a long line the part around the place is shown; letters may be two code units.
    const letters = [...line];
    const from = Math.max(0, error.column - 1 - 20);
    const part = letters.slice(from, from + 60).join("");
    shown.unshift(element("pre", { textContent: `${part}\n${" ".repeat(error.column - 1 - from)}^` }));
    const place = before.reduce((n, l) => n + l.length + 1, 0) + letters.slice(0, error.column - 1).join("").length;
    // Who types sizes goes on with them.
    if (!$("sizes").contains(document.activeElement)) {
      $(field).focus();
      $(field).setSelectionRange(place, place);
    }
  }
  $(`${field}-error`).replaceChildren(...shown);
}

async function answer() {
  const own = ++round;
  $("status").classList.remove("heard");
  $("status").textContent = "Differentiating …";
  const found = await ask("derivative");
  if (own !== round) return;
  $("status").textContent = "";
  complain(found.error);
  $("answer").hidden = Boolean(found.error);
  $("reading").hidden = !found.read_as && !found.others?.length;
  // Sizes that are wanted, or do not fit, are said beside the error.
  $("sizes").hidden = !found.variables?.length;
  if (found.variables) showVariables(found);
  if (found.error) return;
  showReading(found);
  // What was said of the names of an earlier formula is over.
  for (const said of [asked.dims, asked.assume])
    for (const name of Object.keys(said)) if (!found.variables.some((v) => v.name === name)) delete said[name];
  show(found);
  // What the eye sees is said to those who hear the page.
  $("status").classList.add("heard");
  $("status").textContent = `The derivative by ${found.wrt.join(", then ")} is below.`;
  history.replaceState(null, "", link());
  for (const part of ["steps", "picture"]) {
    $(part).open = false;
    $(part).querySelector(".body").replaceChildren();
  }
  $("verdict").replaceChildren();
  $("convexity").hidden = true;
  const later = { code: showCode, check: showCheck, convexity: showConvexity, ...(found.plotted && { plot: showPlot }) };
  $("plot").hidden = !found.plotted;
  $("check").textContent = "";
  $("code").textContent = "";
  await Promise.all(Object.entries(later).map(async ([part, shows]) => {
    const more = await ask(part);
    if (own === round) shows(more);
  }));
  if (own === round && $("other").value) await compare();
}

let replacing = false;

// The variables, with fields for sizes: also of a formula that could not be read without them.
function showVariables(found) {
  const declared = ["einsum", "json"].includes(found.notation);
  // What is being typed stays, while answers to what was typed before arrive.
  const active = $("variables").contains(document.activeElement) ? document.activeElement : null;
  const typed = active && active.value !== active.dataset.shown ? active.value : null;
  replacing = true;
  $("variables").replaceChildren(...found.variables.map((v) => variable(v, found.words, declared)));
  replacing = false;
  const again = active && document.getElementById(active.id);
  again?.focus();
  if (again?.dataset.shown !== undefined && typed !== null) again.value = typed;
  const focused = Boolean(again);
  const open = found.error && found.variables.find((v) => v.axes === null);
  $("sizes-remark").textContent = declared
    ? "Sizes are declared in the formula."
    : (found.guessed ? "Which names are scalars, columns and matrices was guessed. " : "") +
      (open ? "Say here how many rows and columns each has, as numbers such as “2, 3”, or as names such as “m, n”." : "Sizes can be changed, to “3, n” for instance; a scalar has none.");
  if (open && !focused) document.getElementById(`axes-${open.name}`).focus();
}

// How the formula was read where that was a choice, and what else it may mean.
function showReading(found) {
  $("read-as").textContent = found.read_as ? `Read as: ${found.read_as}` : "This can be read in several ways.";
  $("others").replaceChildren(
    ...(found.others.length ? [element("span", { className: "quiet", textContent: "or" })] : []),
    ...found.others.map((o) => element("button", {
      type: "button", textContent: o.label,
      onclick: () => {
        $("text").value = o.text;
        $("notation").value = o.notation;
        Object.assign(asked, { wrt: [], dims: { ...o.dims } });
        answer().then(() => $("text").focus());
      },
    })));
}

function show(found) {
  const again = found.wrt.length < 4 ? found.variables : [];
  const button = (v, wrt, pressed) => element("button", {
    type: "button", textContent: v.name, ariaPressed: pressed,
    onclick: () => { asked.wrt = wrt; answer().then(() => focusBy(wrt)); },
  });
  $("by").replaceChildren(
    element("span", { className: "quiet", textContent: "by" }),
    ...found.variables.map((v) => button(v, [v.name], found.wrt[0] === v.name)),
    ...(again.length ? [element("span", { className: "quiet gap", textContent: `after ${found.wrt.join(", ")}, again by` })] : []),
    ...again.map((v) => {
      const made = button(v, [...found.wrt, v.name], null);
      made.setAttribute("aria-label", `differentiate again by ${v.name}`);
      return made;
    }),
  );
  const name = "f";
  typesetNamed($("function"), name, found.function);
  typesetNamed($("derivative"), partial(found.wrt), found.derivative);
  tools("function", found.function.latex, () => link({ by: "", layout: "", other: "" }));
  tools("derivative", found.derivative.latex, () => link());
  $("layout-sentence").textContent = found.layout;
  const sizes = found.derivative.symbols;
  const at = sizes.length ? ` where ${sizes.join(" = ")} = 100` : "";
  const count = (f) => f.operations.toLocaleString("en");
  $("facts").textContent =
    `${kind(found.derivative.shape)}. It takes ${count(found.derivative)} operations${at}; the function takes ${count(found.function)}.` +
    (found.complete ? "" : " A budget ended the search; a simpler form may exist.");
}

const partial = (wrt) => {
  if (!wrt.length) return "f";
  const power = wrt.length > 1 ? `^{${wrt.length}}` : "";
  return `\\frac{\\partial${power} f}{${wrt.map((n) => `\\partial ${symbol(n)}`).join("\\,")}}`;
};

const symbol = (name) => (name.length === 1 ? name : `\\mathrm{${name.replace(/[^\p{L}\p{N}]/gu, "\\_")}}`);

function typesetNamed(target, name, f) {
  if (!f.latex) { typeset(target, ""); return; }
  // In index notation the formula says what its indices are: f_{ij} = …
  const indexed = /(^|\n)\{?f\}?(_(?:\{[a-z]+\}|[a-z])) (&?=)/;
  if (indexed.test(f.latex)) {
    const left = !name || name === "f" ? name : `\\left(${name}\\right)`;
    typeset(target, f.latex.replace(indexed, (_, before, below, sign) => `${before}${left}${left && below} ${sign}`));
    return;
  }
  // Named parts stand above; what is asked for is the last line.
  const parts = f.latex.match(/^\\begin\{aligned\}\n([^]*)\n& ([^\n]*)\n\\end\{aligned\}$/);
  typeset(target, parts
    ? `\\begin{aligned}\n${parts[1]}\n${name} &= ${parts[2]}\n\\end{aligned}`
    : `${name} = ${f.latex}`);
}

const kind = (shape) => {
  if (shape.length === 2 && shape[0] === "1") return `A row, ${shape.join(" x ")}`;
  if (shape.length === 2 && shape[1] === "1") return `A column, ${shape.join(" x ")}`;
  return axesOf(shape);
};

const axesOf = (shape) => {
  if (!shape.length) return "A scalar";
  if (shape.length === 1) return `A vector of ${shape[0]} entries`;
  return `${shape.length === 2 ? "A matrix" : "A tensor"}, ${shape.join(" x ")}`;
};

function focusBy(wrt) {
  const buttons = [...$("by").querySelectorAll("button")];
  const again = buttons.find((b) => b.getAttribute("aria-label")?.endsWith(` ${wrt.at(-1)}`));
  (again ?? buttons[0])?.focus();
}

function variable(v, words, declared) {
  const id = `axes-${v.name}`;
  const unknown = /^\p{Lu}/u.test(v.name) ? "rows, columns" : "length";
  const input = element("input", {
    id, value: v.axes?.join(", ") ?? "", placeholder: v.axes ? "scalar" : unknown, readOnly: declared, spellcheck: false,
    autocapitalize: "off", autocomplete: "off",
    onchange: () => said(), onblur: () => said(),
  });
  input.dataset.shown = input.value;
  const said = () => {
    if (replacing || input.value === input.dataset.shown) return;
    input.dataset.shown = asked.dims[v.name] = input.value;
    answer();
  };
  input.setAttribute("aria-label", `sizes of ${v.name}`);
  const select = element("select", {
    id: `words-${v.name}`, disabled: declared,
    onchange: () => {
      if (select.value) asked.assume[v.name] = select.value; else delete asked.assume[v.name];
      answer();
    },
  });
  select.setAttribute("aria-label", `what is known of ${v.name}`);
  const known = asked.assume[v.name] ?? v.words.join(", ");
  for (const word of ["", ...(words.includes(known) || !known ? [] : [known]), ...words])
    select.append(element("option", { value: word, textContent: word || "any", selected: word === known }));
  return element("div", { className: "variable" },
    element("label", { htmlFor: id, textContent: v.name }), input, select);
}

// What one takes away of a formula: its LaTeX, a picture, a link.
function tools(id, latex, address) {
  const button = (textContent, says, onclick) => {
    const made = element("button", { type: "button", textContent, onclick });
    made.setAttribute("aria-label", `${says} of the ${id}`);
    return made;
  };
  const formula = () => $(id).querySelector(".katex");
  $(`${id}-tools`).replaceChildren(
    ...(latex ? [
      button("Copy LaTeX", "copy the LaTeX", (event) => copy(event.target, latex)),
      button("Copy SVG", "copy a picture, as SVG,", async (event) => copy(event.target, await picture(formula(), latex))),
      button("Save SVG", "save a picture, as SVG,", async () => save(await picture(formula(), latex), `${id}.svg`)),
    ] : []),
    button("Copy link", "copy a link", (event) => copy(event.target, new URL(address(), location.href).href)),
  );
}

function save(svg, name) {
  const href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

// A picture that needs nothing else: what KaTeX made, with the rules and fonts that it uses.
async function picture(katexElement, title) {
  const [size, margin] = [24, 8];
  const shown = katexElement.cloneNode(true);
  shown.querySelector(".katex-mathml")?.remove();
  const holder = element("div", { className: "picture" }, shown);
  Object.assign(holder.style, { fontSize: `${size}px`, color: "#000", display: "inline-block", whiteSpace: "nowrap", padding: `${margin}px` });
  document.body.append(holder);
  const { width, height } = holder.getBoundingClientRect();
  const sheet = [...document.styleSheets].find((s) => s.href?.includes("katex"));
  const parts = [...holder.querySelectorAll("*")];
  const used = new Set(parts.map((e) => getComputedStyle(e)).map((s) => face(s.fontFamily.split(",")[0], s.fontWeight, s.fontStyle)));
  const rules = [];
  for (const rule of sheet.cssRules) {
    if (rule instanceof CSSFontFaceRule) {
      if (used.has(face(rule.style.fontFamily, rule.style.fontWeight, rule.style.fontStyle))) rules.push(await inlined(rule, sheet.href));
    } else if (rule.selectorText && matches(holder, rule.selectorText)) rules.push(rule.cssText);
  }
  holder.remove();
  const svg = svgElement("svg", { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}` });
  const inside = svgElement("foreignObject", { x: 0, y: 0, width: Math.ceil(width), height: Math.ceil(height) });
  holder.classList.remove("picture");
  inside.append(holder);
  svg.append(svgElement("title", {}, title), svgElement("style", {}, rules.join("\n")),
    svgElement("rect", { width: "100%", height: "100%", fill: "#fff" }), inside);
  return new XMLSerializer().serializeToString(svg);
}

const face = (family, weight, style) =>
  [family.replace(/["']/g, "").trim(), { normal: "400", bold: "700" }[weight] ?? (weight || "400"), style || "normal"].join();

function matches(holder, selector) {
  const plain = selector.replace(/::?(before|after)/g, "");
  return holder.querySelector(plain) !== null;
}

async function inlined(rule, base) {
  const [, file] = rule.style.getPropertyValue("src").match(/url\("?([^")]+)"?\)/);
  const bytes = new Uint8Array(await (await fetch(new URL(file, base))).arrayBuffer());
  const letters = Array.from(bytes, (b) => String.fromCharCode(b)).join("");
  return rule.cssText.replace(/src:[^;]+;/, `src: url(data:font/woff2;base64,${btoa(letters)}) format("woff2");`);
}

const svgElement = (tag, attributes, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) made.setAttribute(k, v);
  made.textContent = text;
  return made;
};

function showCheck(found) {
  const passed = found.check?.passed;
  $("check").replaceChildren(found.check
    ? element("span", { className: passed ? "yes" : "no", textContent: passed ? "✓ Checked: " : "✗ Not confirmed: " })
    : "Not checked: ", found.check?.text ?? found.error.message);
}

// A line, and the laws or values behind it.
function showConvexity(found) {
  const shown = Boolean(found.convexity) && found.convexity !== "unknown";
  $("convexity").hidden = !shown;
  if (!shown) return;
  const says = found.convexity === "neither" ? "neither convex nor concave" : found.convexity;
  $("convexity").querySelector("summary").replaceChildren(`As a function of ${found.wrt} it is ${says}`);
  $("convexity").querySelector("pre").textContent = found.text;
}

function showCode(found) {
  if (found.error) { $("code").textContent = found.error.message; return; }
  const before = $("language").value;
  $("language").replaceChildren(...found.code.map((c) => element("option", { textContent: c.name, selected: c.name === before })));
  const chosen = () => {
    const one = found.code[$("language").selectedIndex];
    $("code").textContent = one.text || one.remark;
  };
  $("language").onchange = chosen;
  chosen();
}

async function compare() {
  const own = round;
  $("verdict").textContent = "Comparing …";
  const found = await ask("compare");
  if (own !== round) return;
  complain(found.error);
  $("verdict").replaceChildren();
  if (found.error) return;
  const says = {
    equal: ["yes", "Equal, proved" + (found.domain.length ? ` where ${found.domain.join(", ")}` : "") + "."],
    different: ["no", found.reason === "they differ at these values" ? "Different, for instance at these values:" : `Different: ${found.reason}.`],
    unknown: ["quiet", `Not decided: ${found.reason}.`],
  }[found.status];
  $("verdict").append(element("p", { className: says[0], textContent: says[1] }));
  if (found.laws.length) $("verdict").append(element("p", { className: "quiet", textContent: "The proof uses:" }), laws(found.laws));
  const values = [...Object.entries(found.witness).map(([n, v]) => `${n} = ${v}`),
    ...found.sides.map((s) => s.replace(/^left /, "eggrad’s ").replace(/^right /, "yours "))];
  if (values.length) $("verdict").append(element("pre", { textContent: values.join("\n") }));
  history.replaceState(null, "", link());
}

const laws = (found) => element("ul", { className: "laws" }, ...found.map((l) => element("li", {},
  `${l.law} `, element("code", { textContent: l.name + (l.times > 1 ? ` × ${l.times}` : "") }))));

async function open(details, part, shows, rest = () => []) {
  const body = details.querySelector(".body");
  if (!details.open || body.childNodes.length) return;
  const own = round;
  body.replaceChildren(element("p", { className: "quiet", textContent: "Computing …" }));
  const found = await ask(part);
  if (own !== round) return;
  body.replaceChildren(
    ...(found.error ? [element("p", { className: "quiet", textContent: found.error.message })] : shows(found)), ...rest());
}

const formulaOf = (latex) => {
  const made = element("div", { className: "formula" });
  typeset(made, latex);
  return made;
};

// The differential, one law at a time.
function showSteps(found) {
  const list = element("ol", { className: "lines" });
  const wrt = [];
  let change = "";
  for (const line of found.lines) {
    const item = element("li", {});
    const name = `\\mathrm{d}${wrt.length ? `\\!\\left(${partial(wrt)}\\right)` : "f"}`;
    if (line.kind === "derivative") {
      item.append(element("p", {}, "The derivative is what each entry of d", element("i", { textContent: line.wrt }), " is multiplied by."));
      wrt.push(line.wrt);
    }
    if (line.laws.length) item.append(laws(line.laws));
    const shown = element("div", { className: "formula" });
    const before = { function: "f", derivative: partial(wrt), differential: change === name ? "" : name }[line.kind];
    typesetNamed(shown, before, line);
    change = line.kind === "differential" ? name : "";
    if (line.kind === "derivative") shown.classList.add("result");
    item.append(shown);
    list.append(item);
  }
  return [
    element("p", { className: "quiet" }, "d", element("i", { textContent: "u" }),
      " is what a part ", element("i", { textContent: "u" }), " changes by when the variable changes a little; laws write D for it. " +
      "Each line follows from the one before by the laws that stand above it, and is simplified."),
    list,
  ];
}

// The search has no limit of nodes.
function log() {
  const made = element("details", { id: "log" }, element("summary", { textContent: "The whole search, round by round" }), element("div", { className: "body" }));
  made.addEventListener("toggle", () => open(made, "log", showLog));
  return [made];
}

function showLog(found) {
  const list = element("ol", { className: "steps" });
  for (const step of found.steps) {
    const item = element("li", {}, element("span", { className: "quiet", textContent: step.stage }));
    if (step.laws.length) item.append(laws(step.laws));
    if (step.latex) item.append(formulaOf(step.latex));
    list.append(item);
  }
  return [
    element("p", { className: "quiet", textContent: `Every round of the e-graph, which ended with ${found.enodes} e-nodes: the laws that fired, how often, and the cheapest formula then.` }),
    list,
  ];
}

const showPicture = (found) => [
  element("p", { className: "quiet", textContent: found.legend }),
  ...found.stages.flatMap((s) => [
    element("p", {}, `${s.name} `, element("span", { className: "quiet", textContent: s.remark })),
    // A picture runs no scripts, whatever it holds.
    element("div", { className: "stage", tabIndex: 0 }, element("img", { alt: `E-graph after ${s.name}`, src: `data:image/svg+xml,${encodeURIComponent(s.svg)}` })),
  ]),
];

// The plot: a function, and its derivative, of one variable.

function showPlot(found) {
  $("plot").hidden = Boolean(found.error);
  if (found.error) return;
  const [width, height, left, top, right, bottom] = [640, 280, 44, 8, 8, 24];
  const values = [...found.function, ...found.derivative].filter((v) => v !== null).sort((a, b) => a - b);
  if (!values.length) { $("plot").hidden = true; return; }
  // Poles are cut off: most of what is there sets the range.
  const at = (share) => values[Math.round(share * (values.length - 1))];
  let [low, high] = [Math.min(at(0.03), 0), Math.max(at(0.97), 0)];
  if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
  const margin = (high - low) * 0.08;
  [low, high] = [low - margin, high + margin];
  const [first, last] = [found.points[0], found.points.at(-1)];
  const x = (p) => left + ((p - first) / (last - first)) * (width - left - right);
  const y = (v) => top + ((high - v) / (high - low)) * (height - top - bottom);
  const svg = svgElement;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `f and its derivative for ${found.variable} from ${first} to ${last}` });
  for (const t of ticks(first, last, 8)) drawing.append(
    svg("line", { class: t === 0 ? "axis" : "grid", x1: x(t), x2: x(t), y1: top, y2: height - bottom }),
    svg("text", { x: x(t), y: height - 8, "text-anchor": "middle" }, number(t)));
  for (const t of ticks(low, high, 5)) drawing.append(
    svg("line", { class: t === 0 ? "axis" : "grid", x1: left, x2: width - right, y1: y(t), y2: y(t) }),
    svg("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, number(t)));
  const path = (samples) => {
    let [text, pen] = ["", false];
    samples.forEach((v, k) => {
      const inside = v !== null && v >= low - (high - low) && v <= high + (high - low);
      if (inside) text += `${pen ? "L" : "M"}${x(found.points[k]).toFixed(1)} ${y(Math.min(Math.max(v, low), high)).toFixed(1)}`;
      pen = inside;
    });
    return text;
  };
  drawing.append(svg("path", { class: "d", d: path(found.derivative) }), svg("path", { class: "f", d: path(found.function) }));
  const order = ["", "derivative", "second derivative", "third derivative", "fourth derivative"][found.order];
  $("plot").replaceChildren(drawing, element("figcaption", {},
    element("span", {}, element("span", { className: "key" }), "function"),
    element("span", {}, element("span", { className: "key second" }), order)));
}

function ticks(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((s) => s * power >= rough) * power;
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k === 0 ? 0 : k * step);
  return found;
}

const number = (v) => (Math.abs(v) >= 1e5 || (v && Math.abs(v) < 1e-3) ? v.toExponential(0) : String(Number(v.toPrecision(6))));

// Links carry the formula behind the #, which browsers do not send.

const written = (named) => Object.entries(named).map(([n, v]) => `${n}: ${v}`).join("; ");

const readNamed = (text) => Object.fromEntries((text ?? "").split(";").filter((p) => p.includes(":"))
  .map((p) => [p.slice(0, p.indexOf(":")).trim(), p.slice(p.indexOf(":") + 1).trim()]));

function link(instead = {}) {
  const parts = new URLSearchParams();
  const said = {
    f: $("text").value, by: asked.wrt.join(","), dims: written(asked.dims), assume: written(asked.assume),
    notation: $("notation").value === "detect" ? "" : $("notation").value, layout: $("layout").value, other: $("other").value,
    ...instead,
  };
  for (const [k, v] of Object.entries(said)) if (v) parts.set(k, v);
  return `#${parts}`;
}

function follow(fragment) {
  const said = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!said.get("f")) return false;
  $("text").value = said.get("f");
  asked.wrt = (said.get("by") ?? "").split(",").filter(Boolean);
  asked.dims = readNamed(said.get("dims"));
  asked.assume = readNamed(said.get("assume"));
  $("notation").value = said.get("notation") ?? "detect";
  if ($("notation").selectedIndex < 0) $("notation").value = "detect";
  $("layout").value = said.get("layout") ?? "";
  if ($("layout").selectedIndex < 0) $("layout").value = "";
  $("other").value = said.get("other") ?? "";
  answer();
  return true;
}

// What can be written: a list that is searched; a click puts an example into the formula.

async function openGuide() {
  if (!$("guide").open || $("guide-list").childNodes.length) return;
  const found = await ask("guide");
  if (found.error) { $("guide-count").textContent = found.error.message; return; }
  $("guide-list").replaceChildren(...found.entries.map((e) => {
    const button = element("button", { type: "button", textContent: e.example, onclick: () => insert(e) });
    button.setAttribute("aria-label", `insert ${e.example}`);
    const item = element("li", {}, element("code", { className: "name", textContent: e.name }),
      element("span", { className: "what", textContent: e.sentence }), button);
    item.dataset.words = `${e.name} ${e.sentence} ${e.example}`.toLowerCase();
    return item;
  }));
  filterGuide();
}

function filterGuide() {
  const words = $("guide-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const item of $("guide-list").children) {
    item.hidden = !words.every((w) => item.dataset.words.includes(w));
    shown += !item.hidden;
  }
  $("guide-count").textContent = shown
    ? "A click puts an example into the formula, or a function around the part of it that is selected."
    : "Nothing here has these words.";
}

function insert(entry) {
  const field = $("text");
  const [from, to] = [field.selectionStart, field.selectionEnd];
  const [before, chosen] = [field.value.slice(0, from), field.value.slice(from, to)];
  const around = chosen && entry.kind === "function" ? `${entry.name}(${chosen})` : entry.example;
  // What stands before it, if anything, is added to.
  const sign = !chosen && /[\p{L}\p{N})\]}'’‖|]\s*$/u.test(before) ? `${/\s$/.test(before) ? "" : " "}+ ` : "";
  field.setRangeText(sign + around, from, to, "end");
  field.focus();
  field.setSelectionRange(from + sign.length, from + sign.length + around.length);
  field.dispatchEvent(new Event("input"));
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission, or without TLS: by selection.
    const hidden = element("textarea", { value: text });
    document.body.append(hidden);
    hidden.select();
    document.execCommand("copy");
    hidden.remove();
    button.focus();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1200);
}

$("ask").addEventListener("submit", (event) => { event.preventDefault(); answer(); });
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); answer(); }
});
// Another formula has other variables, and another derivative.
$("text").addEventListener("input", () => { asked.wrt = []; $("other").value = ""; });
$("notation").addEventListener("change", () => $("text").value && answer());
$("layout").addEventListener("change", () => answer());
$("compare").addEventListener("submit", (event) => { event.preventDefault(); compare(); });
$("copy-code").addEventListener("click", (event) => copy(event.target, $("code").textContent));
$("steps").addEventListener("toggle", () => open($("steps"), "steps", showSteps, log));
$("picture").addEventListener("toggle", () => open($("picture"), "picture", showPicture));
$("guide").addEventListener("toggle", openGuide);
$("guide-search").addEventListener("input", filterGuide);
addEventListener("hashchange", () => follow(location.hash));

const examples = await (await fetch("static/examples.json")).json();
$("examples").replaceChildren(...examples.map((e) => element("li", {}, element("button", {
  type: "button", onclick: () => { follow(`#${new URLSearchParams(e.link)}`); $("derivative-title").focus(); },
}, element("span", { className: "name", textContent: e.name }), element("span", { className: "what", textContent: e.link.f })))));
if (!follow(location.hash)) follow(`#${new URLSearchParams(examples[0].link)}`);

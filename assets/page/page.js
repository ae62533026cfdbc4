"use strict";
// Shows the steps that this page contains. It paints nothing: pictures are put together from the lines of SVG that GEMS Lab
// has painted, and are shown as images. Texts are set as text, never as markup.
(() => {
  const THIN = "\u202f"; // between thousands
  const REST = 250; // milliseconds after which a new step is written to the address
  const part = (id) => document.getElementById(id);
  const shapes = [], lines = [], pictures = [], paragraphs = [], steps = [];
  let index, current = -1, wanted = 0, timer = 0, noting = 0, listed = -1;

  // -- data ---------------------------------------------------------------------------------------------------------

  const bytes = (id) => Uint8Array.from(atob(part(id).textContent), (each) => each.charCodeAt(0));

  async function read(id) {
    const plain = new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(plain).text());
  }

  function take(block) {
    add(shapes, block.shapes);
    for (const line of block.lines) {
      lines.push(typeof line === "string" ? line : line.map((each) => typeof each === "number" ? shapes[each] : each).join(""));
    }
    add(pictures, block.pictures);
    add(paragraphs, block.texts);
    add(steps, block.steps);
  }

  function add(list, more) {
    for (const each of more) list.push(each);
  }

  const svg = (picture) => pictures[picture].map((line) => lines[line]).join("\n");

  // -- elements -----------------------------------------------------------------------------------------------------

  function element(name, text, kind) {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, THIN);

  // -- one step -----------------------------------------------------------------------------------------------------

  function show(at) {
    wanted = Math.max(0, Math.min(at, index.steps.length - 1));
    part("scrub").value = wanted;
    if (wanted < steps.length) paint();
    part("first").disabled = part("back").disabled = wanted === 0;
    part("next").disabled = part("last").disabled = wanted === index.steps.length - 1;
    clearTimeout(noting);
    noting = setTimeout(note, REST);
  }

  function paint() {
    if (current === wanted) return;
    current = wanted;
    const step = steps[current], [cursor, run, moment] = index.steps[current];
    const words = moment ? `Moment ${moment} of ${index.moments.length}` : `Step ${grouped(current + 1)} of ${grouped(index.steps.length)}`;
    const where = `${words} · event ${grouped(cursor)}`;
    part("where").textContent = where;
    part("scrub").setAttribute("aria-valuetext", where);
    part("caption").textContent = step.caption;
    part("caption").hidden = !step.caption;
    part("said").textContent = step.said;
    part("status").textContent = step.status;
    part("status").hidden = !step.status || step.caption.includes(step.status);
    showPictures(step);
    showWhy(step);
    listEvents(run);
    mark(part("events"), eventButton(cursor));
    if (index.moments.length) mark(part("moments"), moment ? part("moments").children[moment - first()].firstChild : null);
  }

  const first = () => index.moments[0][0];

  function showPictures(step) {
    const place = part("pictures");
    while (place.children.length > step.pictures.length) place.lastChild.remove();
    while (place.children.length < step.pictures.length) place.append(figure());
    step.pictures.forEach(([view, picture], at) => {
      const figure = place.children[at], button = figure.firstChild, image = button.firstChild;
      image.alt = `${index.views[view]}: ${step.said}`;
      button.setAttribute("aria-label", `Enlarge ${index.views[view]}. ${step.said}`);
      if (image.dataset.picture === String(picture)) return;
      image.dataset.picture = picture;
      const url = URL.createObjectURL(new Blob([svg(picture)], { type: "image/svg+xml" }));
      image.urls.push(url);
      image.src = url;
    });
  }

  function figure() {
    const made = element("figure"), button = element("button"), image = element("img");
    button.type = "button";
    [image.width, image.height] = index.size;
    image.urls = [];
    image.addEventListener("load", () => {
      while (image.urls.length && image.urls[0] !== image.src) URL.revokeObjectURL(image.urls.shift());
    });
    button.addEventListener("click", () => made.classList.toggle("large"));
    button.append(image);
    made.append(button);
    return made;
  }

  function showWhy(step) {
    const why = part("why");
    why.replaceChildren(element("h2", step.why));
    for (const number of step.because) {
      const [heading, sentence, formulas] = paragraphs[number];
      why.append(element("h3", heading), element("p", sentence), ...formulas.map((each) => element("p", each, "formula")));
    }
  }

  function mark(list, button) {
    for (const old of list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    if (!button) return;
    button.setAttribute("aria-current", "step");
    const item = button.parentNode; // scrolls the list alone, not the page
    if (item.offsetTop < list.offsetTop + list.scrollTop || item.offsetTop + item.offsetHeight > list.offsetTop + list.scrollTop + list.clientHeight) {
      list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 3;
    }
  }

  // -- events -------------------------------------------------------------------------------------------------------

  function listEvents(run) {
    if (listed === run) return;
    listed = run;
    part("events").replaceChildren(...index.events[run].map(([number, place, kind, words]) => {
      const item = element("li"), button = element("button");
      button.type = "button";
      button.append(element("span", grouped(number), "number"), " ", element("span", place || kind, "place"), element("br"), words);
      button.addEventListener("click", () => seek(number, run));
      item.number = number;
      item.text = `${number} ${place} ${kind} ${words}`.toLowerCase().replaceAll(THIN, "");
      item.append(button);
      return item;
    }));
    search();
  }

  function eventButton(cursor) {
    const items = part("events").children;
    let low = 0, high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (items[middle].number < cursor) low = middle + 1;
      else high = middle;
    }
    return low < items.length && items[low].number === cursor ? items[low].firstChild : null;
  }

  function search() {
    const words = part("search").value.toLowerCase().replaceAll(THIN, "").split(/\s+/).filter(Boolean);
    let count = 0;
    for (const item of part("events").children) {
      item.hidden = !words.every((word) => item.text.includes(word));
      count += !item.hidden;
    }
    const all = part("events").children.length, plural = all === 1 ? "event" : "events";
    part("found").textContent = words.length ? `${grouped(count)} of ${grouped(all)} ${plural}` : `${grouped(all)} ${plural}`;
  }

  function nextMatch() {
    const cursor = index.steps[wanted][0];
    const found = [...part("events").children].filter((item) => !item.hidden);
    const match = found.find((item) => item.number > cursor) || found[0];
    if (match) seek(match.number, listed);
  }

  // -- positions ----------------------------------------------------------------------------------------------------

  function seek(event, run) {
    let last = -1;
    for (let at = 0; at < index.steps.length; at += 1) {
      if (index.steps[at][1] !== run) continue;
      last = at;
      if (index.steps[at][0] >= event) break;
    }
    if (last >= 0) go(last);
  }

  function go(at) {
    pause();
    show(at);
  }

  function follow() { // the address
    const asked = new URLSearchParams(location.hash.slice(1));
    const moment = Number(asked.get("moment")), event = asked.get("event");
    const at = moment ? index.steps.findIndex((step) => step[2] === moment) : -1;
    if (at >= 0) go(at);
    else if (event !== null && /^\d+$/.test(event)) seek(Number(event), Number(asked.get("run")) || index.steps[0][1]);
  }

  function note() {
    const [cursor, run, moment] = index.steps[wanted];
    const hash = moment ? `#moment=${moment}` : run ? `#event=${cursor}&run=${run}` : `#event=${cursor}`;
    if (hash === location.hash) return;
    try {
      history.replaceState(null, "", hash);
    } catch { /* a frame may not have an address of its own */ }
  }

  // -- playing ------------------------------------------------------------------------------------------------------

  const playing = () => document.body.classList.contains("playing");

  function pause() {
    clearTimeout(timer);
    document.body.classList.remove("playing");
    part("play").setAttribute("aria-label", "Play");
    part("said").setAttribute("aria-live", "polite");
  }

  function play() {
    document.body.classList.add("playing");
    part("play").setAttribute("aria-label", "Pause");
    part("said").setAttribute("aria-live", "off"); // a reader could not keep up
    if (wanted === index.steps.length - 1) show(0);
    wait();
  }

  function wait() {
    const seconds = index.steps[wanted][3] || 1 / Number(part("speed").value);
    timer = setTimeout(() => {
      if (wanted < steps.length) show(wanted + 1); // otherwise it waits for the data
      if (wanted === index.steps.length - 1) pause();
      else wait();
    }, 1000 * seconds);
  }

  const toggle = () => playing() ? pause() : play();

  function toMoment(by) {
    const is = (at) => index.steps[at] && index.steps[at][2];
    let at = wanted + by;
    while (index.steps[at] && !is(at)) at += by;
    if (is(at)) go(at);
  }

  // -- the page -----------------------------------------------------------------------------------------------------

  function keys(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target, writes = target.matches("input[type=search], select");
    if (writes) {
      if (target.id !== "search") return;
      if (event.key === "Enter") nextMatch();
      if (event.key === "Escape") target.blur();
      return;
    }
    const acts = {
      ArrowRight: () => go(wanted + 1), ArrowLeft: () => go(wanted - 1), Home: () => go(0), End: () => go(index.steps.length - 1),
      " ": toggle, "/": () => part("search").focus(),
    };
    if (index.moments.length) Object.assign(acts, { PageDown: () => toMoment(1), PageUp: () => toMoment(-1) });
    if (event.key === " " && target.matches("button, summary, a")) return;
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  }

  function tell() {
    document.title = part("title").textContent = index.title;
    part("scrub").max = index.steps.length - 1;
    part("pace").hidden = index.steps.every((step) => step[3]);
    part("story").hidden = !index.moments.length;
    part("moments").replaceChildren(...index.moments.map(([moment, caption]) => {
      const item = element("li"), button = element("button");
      button.type = "button";
      button.append(element("span", String(moment), "number"), ` ${caption}`);
      button.addEventListener("click", () => go(index.steps.findIndex((step) => step[2] === moment)));
      item.append(button);
      return item;
    }));
    for (const run of index.runs) {
      part("runs").append(element("h2", run.title));
      if (run.verdict) part("runs").append(element("p", run.verdict));
      if (run.command) part("runs").append(element("p", "This command repeats the run:", "about"), element("pre", run.command));
    }
    index.files.forEach((name, at) => {
      const link = element("a", `Download ${name}`), line = element("p");
      link.download = name;
      link.href = "#";
      link.addEventListener("click", () => {
        if (link.href.startsWith("blob:")) return;
        link.href = URL.createObjectURL(new Blob([bytes(`file-${at}`)], { type: "application/octet-stream" }));
      });
      line.append(link);
      part("runs").append(line);
    });
  }

  function connect() {
    part("first").addEventListener("click", () => go(0));
    part("back").addEventListener("click", () => go(wanted - 1));
    part("play").addEventListener("click", toggle);
    part("next").addEventListener("click", () => go(wanted + 1));
    part("last").addEventListener("click", () => go(index.steps.length - 1));
    part("scrub").addEventListener("input", () => go(Number(part("scrub").value)));
    part("search").addEventListener("input", search);
    document.addEventListener("keydown", keys);
    window.addEventListener("hashchange", follow);
  }

  async function start() {
    index = await read("index");
    tell();
    connect();
    show(0);
    follow();
    for (let at = 0; at < Number(document.body.dataset.blocks); at += 1) {
      take(await read(`block-${at}`));
      if (wanted < steps.length) paint();
    }
    document.body.dataset.ready = "yes";
  }

  start().catch((error) => {
    part("trouble").textContent = typeof DecompressionStream === "undefined"
      ? "This browser is too old to read this page. Use a version from 2023 or later."
      : `This page cannot be shown: ${error.message}. The file may be damaged; ask for it again.`;
    part("trouble").hidden = false;
  });
})();

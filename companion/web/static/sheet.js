// The pages around the table: scrubber, hands, seats, photographs. Everything works without this file too.

// The scrubber of a replay: letting go of it shows that place.
const scrub = document.querySelector("[data-scrub]");
if (scrub) {
  scrub.addEventListener("change", () => scrub.submit());
  scrub.addEventListener("input", (event) => {
    scrub.querySelector("output").textContent = `${event.target.value} / ${event.target.max}`;
  });
}

// The camera's picture while something is being laid before it: a new one every two seconds, while anybody looks.
for (const picture of document.querySelectorAll("img[data-live]")) {
  const source = picture.getAttribute("src");
  const next = () => {
    if (document.hidden) setTimeout(next, 2000);
    else picture.src = `${source}?${Date.now()}`;
  };
  picture.addEventListener("load", () => setTimeout(next, 2000));
  picture.addEventListener("error", () => setTimeout(next, 8000));
  if (picture.complete) setTimeout(next, 2000);
}

// A task that runs on the box: look whether it is done, then show how it ended.
for (const task of document.querySelectorAll("[data-busy]")) {
  const look = async () => {
    const answer = await fetch(task.dataset.busy).catch(() => null);
    if (answer && answer.ok && !(await answer.json()).busy) location.reload();
    else setTimeout(look, 1000);
  };
  setTimeout(look, 1000);
}

// No game yet: whoever opens the page before it has begun sees it begin.
if (document.querySelector("[data-no-game]")) {
  const look = async () => {
    const answer = await fetch("/api/state").catch(() => null);
    if (answer && answer.ok && (await answer.json()).game) location.reload();
    else setTimeout(look, 2000);
  };
  setTimeout(look, 2000);
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// The phone's own share menu, where the browser has it: the picture, else the text.
for (const button of document.querySelectorAll("[data-share]")) {
  if (!navigator.share) continue;
  const shared = { text: document.querySelector("textarea[data-copied]").value };
  button.hidden = false;
  fetch(button.dataset.share)
    .then((answer) => answer.blob())
    .then((picture) => {
      const files = [new File([picture], "scores.png", { type: picture.type })];
      if (navigator.canShare && navigator.canShare({ files })) shared.files = files;
    })
    .catch(() => {});
  button.addEventListener("click", () => navigator.share(shared).catch(() => {}));
}

for (const part of document.querySelectorAll("[data-secure]")) part.hidden = (part.dataset.secure === "yes") !== isSecureContext;

// A page that came without TLS may not write to the clipboard; what is selected can be copied all the same.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const text = document.querySelector("textarea[data-copied]");
    text.focus();
    text.select();
    if (document.execCommand("copy")) button.textContent = text.dataset.copied;
  });
}

// Digits of every script, dashes and full-width signs, read as the box reads them.
const SIGNS = { "：": ":", "，": ",", "、": ",", "،": ",", "；": ";", "؛": ";" };
window.plainSigns = (text) =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0);
    const row = code - (code % 16); // The digits of a script begin its row of sixteen, or at the seventh of it.
    return String(code - row - (/\p{Nd}/u.test(String.fromCodePoint(row)) ? 0 : 6));
  }).replace(/[\u2010-\u2015\u2212\ufe63\uff0d]/g, "-").replace(/[：，、،；؛]/g, (sign) => SIGNS[sign]);

// The pips beside each hand, or how a tile is written.
for (const shown of document.querySelectorAll("[data-sum]")) {
  const field = document.getElementsByName(shown.dataset.sum)[0];
  const add = () => {
    const parts = window.plainSigns(field.value).split(/[\s,;]+/).filter(Boolean);
    const halves = parts.reduce((all, part) => all.concat(part.split(/[-:]/)), []).map(Number);
    const blanks = parts.filter((part) => /^0+-0+$/.test(part)).length * Number(shown.dataset.blank);
    const tiles = parts.every((part) => /^\d+[-:]\d+$/.test(part)) && halves.every((half) => half <= Number(field.dataset.hand));
    const sum = halves.length ? shown.dataset.words.replace("{n}", String(halves.reduce((a, b) => a + b, blanks))) : "";
    const told = field.getAttribute("aria-invalid") === "true";
    shown.textContent = tiles ? sum : told ? "" : shown.dataset.else;
  };
  field.addEventListener("input", add);
  add();
}

// Propose the only player with the points of going out whenever that is somebody else, until somebody has chosen.
for (const form of document.querySelectorAll("form[data-proposes]")) {
  const fields = [...form.querySelectorAll("[data-player]")];
  const choices = [...form.querySelectorAll("[name=out]")];
  const alone = () => {
    const went = (points) => (form.dataset.proposes === "most" ? points > 0 : points === 0);
    const out = fields.filter((field) => went(Number(window.plainSigns(field.value))));
    return out.length === 1 && fields.every((field) => field.value.trim()) ? out[0].dataset.player : "";
  };
  let chosen = false;
  let last = alone();
  form.addEventListener("input", ({ target }) => {
    chosen = chosen || target.name === "out";
    const now = alone();
    if (chosen || now === last) return;
    for (const one of choices) one.checked = now !== "" && one.value === now;
    last = now;
  });
}

// The tiles of a photographed hand: a tap adds one to what is typed, or drops it, and what is typed says which count.
for (const picture of document.querySelectorAll("[data-counts]")) {
  const field = document.getElementsByName(picture.dataset.counts)[0];
  const drawn = [...picture.querySelectorAll("[data-tile]")];
  const read = drawn.filter((tile) => tile.dataset.tile);
  const typed = () => window.plainSigns(field.value).trim().split(/\s+/).filter(Boolean);
  const same = (tile) => tile.split(/[-:]/).sort((a, b) => a - b).join("-");
  const ring = (tile, counts) => {
    tile.classList.toggle("counts", counts);
    tile.setAttribute("aria-pressed", counts);
  };
  const follow = () => {
    const left = typed().map(same);
    const taken = (tile) => {
      const at = left.indexOf(same(tile.dataset.tile));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    };
    // Of two that are alike the one stays ringed that was.
    const [ringed, others] = [true, false].map((was) => read.filter((tile) => tile.classList.contains("counts") === was));
    for (const tile of [...ringed, ...others]) ring(tile, taken(tile));
  };
  const tap = (tile) => {
    if (!tile.dataset.tile) return field.focus();
    const tiles = typed();
    const counted = tile.classList.contains("counts");
    if (counted) tiles.splice(tiles.map(same).indexOf(same(tile.dataset.tile)), 1);
    else tiles.push(tile.dataset.tile);
    ring(tile, !counted);
    field.value = tiles.join(" ");
    if (counted) field.focus({ preventScroll: true }); // The keys for what was misread
    return field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const tile of drawn) {
    tile.setAttribute("role", "button");
    tile.setAttribute("tabindex", "0");
    tile.addEventListener("click", () => tap(tile));
    tile.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      tap(tile);
    });
  }
  field.addEventListener("input", follow);
  follow();
}

// Players change seats by a handle: dragged with mouse or finger, or moved with the arrow keys.
for (const list of document.querySelectorAll("[data-reorder]")) {
  const rows = [...list.querySelectorAll(".player-row")];
  const field = (n) => rows[n].querySelector("input");
  const swap = (from, to) => {
    if (to < 0 || to >= rows.length || from === to) return from;
    const step = Math.sign(to - from);
    for (let n = from; n !== to; n += step) [field(n).value, field(n + step).value] = [field(n + step).value, field(n).value];
    name();
    return to;
  };
  const name = () => handles.forEach((handle, n) => handle.setAttribute("aria-label", list.dataset.reorder.replace("{name}", field(n).value || String(n + 1))));
  const handles = rows.map((row, n) => {
    const handle = document.createElement("button");
    handle.type = "button";
    handle.className = "quiet handle";
    handle.textContent = "↕";
    let at = n;
    handle.addEventListener("pointerdown", (event) => {
      at = n;
      handle.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const over = rows.findIndex((other) => {
        const box = other.getBoundingClientRect();
        return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
      });
      if (over >= 0) at = swap(at, over);
    });
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      handles[swap(n, n + step)].focus();
    });
    row.append(handle);
    return handle;
  });
  list.addEventListener("input", name);
  name();
  // Enter goes on to the next seat; in an empty one it starts the game.
  list.addEventListener("keydown", (event) => {
    const next = rows.findIndex((row, n) => field(n) === event.target) + 1;
    const last = next === rows.length || rows[next].hidden;
    if (event.key !== "Enter" || event.isComposing || !next || last || !event.target.value.trim()) return;
    event.preventDefault();
    field(next).focus();
  });
  // So many seats as the rules deal to with this set, or as may play where the house says how many tiles each gets.
  const { option_hand: hand } = list.form.elements;
  const offer = () => {
    const set = list.form.querySelector("[name=set]:checked");
    const most = !set || (hand && hand.selectedIndex > 0) ? rows.length : Number(set.dataset.most);
    rows.forEach((row, n) => (row.hidden = n >= most && !field(n).value.trim()));
  };
  list.form.addEventListener("change", offer);
  offer();
  // The start key says how many play: a name that the last evening left is easily overlooked.
  const start = list.form.querySelector("[data-players]");
  if (!start) continue;
  const words = start.dataset.players.split("|");
  const count = () => (start.textContent = words[rows.filter((row, n) => field(n).value.trim()).length]);
  list.addEventListener("input", count);
  count();
}

// Where the record differs from the hands, while they are being written.
const hands = document.querySelector("form[data-notes]");
if (hands) {
  let waiting = 0;
  const look = async () => {
    const asked = new URLSearchParams(new FormData(hands));
    for (const name of [...asked.keys()]) if (!/^(hand_\d+|how|round|asked)$/.test(name)) asked.delete(name);
    const answer = await fetch(`${hands.dataset.notes}?${asked}`).catch(() => null);
    if (!answer || !answer.ok) return;
    const { notes, seen, sent, otherwise } = await answer.json();
    // A note that comes or goes moves no key from under a finger.
    const held = hands.contains(document.activeElement) ? document.activeElement : null;
    const top = held && held.getBoundingClientRect().top;
    // Hands that others send fill the fields still empty; beside others that were typed a key takes them.
    for (const [name, hand] of Object.entries(sent)) {
      const field = hands.elements[name];
      const told = hands.querySelector(`[data-sent="${name}"]`);
      const key = hands.querySelector(`[data-take="${name}"]`);
      const take = () => {
        field.value = field.dataset.sent = hand;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      };
      const empty = field && (!field.value || field.value === field.dataset.sent);
      if (empty && field.value !== hand) return take(); // It is looked at again.
      if (key) key.hidden = !otherwise.includes(name);
      if (key) key.firstChild.onclick = take;
      if (told) told.textContent = field && field.value === hand ? told.dataset.words : "";
    }
    for (const note of hands.querySelectorAll("[data-note]")) window.writeWhole(note, (notes[note.dataset.note] || []).join(" "));
    if (held) scrollBy(0, held.getBoundingClientRect().top - top);
    hands.elements.seen.value = seen;
  };
  hands.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 400);
  });
  if ([...hands.querySelectorAll("[data-hand]")].some((field) => field.value)) look();
  if (hands.querySelector(".invite-hands")) setInterval(() => !document.hidden && look(), 3000);
}

// What another phone has counted takes the place of what was typed here.
for (const key of document.querySelectorAll("[data-fills]")) {
  key.addEventListener("click", () => {
    const field = document.getElementsByName(key.dataset.fills)[0];
    field.value = key.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    key.parentElement.remove();
  });
}

// A photograph that is too large is refused before it is sent, so that nothing typed beside it is lost.
for (const field of document.querySelectorAll("input[data-most]")) {
  field.addEventListener("change", () => {
    const earlier = field.form.querySelector(".complaint.of-photo");
    if (earlier) earlier.remove();
    if (!field.files[0] || field.files[0].size <= Number(field.dataset.most)) return;
    field.value = "";
    const told = document.createElement("strong");
    told.className = "complaint of-photo";
    told.setAttribute("role", "alert");
    told.textContent = field.dataset.tooLarge;
    field.closest("label").after(told);
  });
}

// Typed words stay on this phone until they are sent and taken: through a reload, Back and a tab that was dropped.
const TYPED_MS = 12 * 3600 * 1000; // So long it is kept: an evening.

function drafts(change) {
  try {
    const all = JSON.parse(localStorage.getItem("drafts") || "{}");
    for (const name of Object.keys(all)) if (Date.now() - all[name].at > TYPED_MS) delete all[name];
    const found = change(all);
    localStorage.setItem("drafts", JSON.stringify(all));
    return found;
  } catch (fault) {
    return null; // Storage may be refused; the page works without it.
  }
}

function typedIn(form) {
  const fields = [...form.elements].filter((one) => one.name && /^(text|radio|select-one)$/.test(one.type));
  return fields.filter((one) => one.type !== "radio" || one.checked).map((one) => [one.name, one.value]);
}

// The box's answer is newer: fill only the fields it left empty.
function fillIn(form, typed, back) {
  for (const [name, value] of typed) {
    const same = [...form.elements].filter((one) => one.name === name && /^(text|radio|select-one)$/.test(one.type));
    const field = same.find((one) => one.type !== "radio" || one.value === value);
    if (!field || (back && (field.type === "radio" || field.value))) continue;
    if (field.type === "radio" ? field.checked : field.value === value) continue;
    if (field.type === "radio") field.checked = true;
    else field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

const typedForms = [...document.querySelectorAll("form[data-keeps]")];
const sentForm = drafts((all) => {
  const sent = Object.keys(all).find((name) => all[name].sent);
  if (sent && !typedForms.some((form) => form.dataset.keeps === sent)) delete all[sent];
  else if (sent) delete all[sent].sent;
  return sent;
});
for (const form of typedForms) {
  const name = form.dataset.keeps;
  const kept = drafts((all) => all[name]);
  if (kept) fillIn(form, kept.typed, sentForm === name);
  form.addEventListener("input", () => drafts((all) => (all[name] = { at: Date.now(), typed: typedIn(form) })));
  form.addEventListener("submit", () => drafts((all) => (all[name] = { at: Date.now(), typed: typedIn(form), sent: true })));
}

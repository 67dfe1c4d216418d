// The tiles of a hand by taps, under the field that is being filled: one for each tile that lies nowhere else, or its two
// numbers. It comes instead of the phone's own keyboard, which would cover the field.

const MOST_BETWEEN = 24; // So many keys and the numbers below them are on a small phone's screen with the field.
const fields = [...document.querySelectorAll("[data-hand]")];
const left = (fields.length ? fields[0].form.dataset.left || "" : "").split(" ").filter(Boolean);
const typed = (field) => window.plainSigns(field.value).trim().split(/\s+/).filter(Boolean);
const same = (tile) => tile.split(/[-:]/).sort((a, b) => a - b).join("-");

for (const field of fields) {
  if (matchMedia("(pointer: coarse)").matches) field.inputMode = "none";
  field.addEventListener("focus", () => openPicker(field));
}
// On a phone the keys of the hand that comes first are there already: the own one, or one that is not empty.
const due = fields.filter((field) => !field.value && field.dataset.holds !== "0");
const mine = due.filter((field) => "mine" in field.dataset);
if (due.length && matchMedia("(pointer: coarse)").matches) openPicker([...mine, ...due][0]);

function openPicker(field) {
  const open = document.querySelector(".picker");
  if (open && open.dataset.for === field.name) return;
  if (open) open.remove();
  const picker = document.createElement("div");
  picker.className = "picker";
  picker.dataset.for = field.name;
  const pads = [numbersOf(field)];
  if (left.length) pads.splice(left.length > MOST_BETWEEN ? 1 : 0, 0, tilesOf(field));
  picker.append(...pads);
  field.closest("label").after(picker);
}

function fill(field, tiles) {
  field.value = tiles.join(" ");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function key(pad, text, tap) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "key";
  const face = document.createElement("span");
  face.textContent = text;
  made.append(face);
  made.addEventListener("click", tap);
  pad.append(made);
  return made;
}

// A tap puts the tile into the hand, or out of it again; what another hand holds is no choice.
function tilesOf(field) {
  const pad = document.createElement("div");
  pad.className = "pad tiles";
  pad.setAttribute("role", "group");
  pad.setAttribute("aria-label", field.form.dataset.words);
  const pressed = (made) => made.getAttribute("aria-pressed") === "true";
  const keys = left.map((tile) => {
    const made = key(pad, tile, () => {
      const tiles = typed(field);
      if (pressed(made)) tiles.splice(tiles.map(same).indexOf(made.dataset.tile), 1);
      else tiles.push(tile);
      made.setAttribute("aria-pressed", !pressed(made));
      fill(field, tiles);
    });
    made.dataset.tile = same(tile);
    made.tabIndex = -1; // Whoever has keys types.
    return made;
  });
  const follow = () => {
    const mine = typed(field).map(same);
    const others = fields.filter((other) => other !== field).reduce((all, other) => all.concat(typed(other).map(same)), []);
    const taken = (tiles, made) => {
      const at = tiles.indexOf(made.dataset.tile);
      if (at >= 0) tiles.splice(at, 1);
      return at >= 0;
    };
    // Of two that are alike the one stays pressed that was.
    for (const made of [...keys.filter(pressed), ...keys.filter((one) => !pressed(one))]) {
      const held = taken(mine, made);
      made.setAttribute("aria-pressed", held);
      made.disabled = !held && taken(others, made);
    }
  };
  field.addEventListener("input", follow);
  follow();
  return pad;
}

// Two taps make a tile, or one stroke from its first number to its second.
function numbersOf(field) {
  const pad = document.createElement("div");
  pad.className = "pad numbers";
  let first = null;
  const release = () => {
    if (first !== null) first.setAttribute("aria-pressed", "false");
    first = null;
  };
  const lay = (one, other) => {
    release();
    fill(field, [...typed(field), `${one.dataset.value}${field.dataset.sign}${other.dataset.value}`]);
  };
  for (let value = Number(field.dataset.low); value <= Number(field.dataset.hand); value += 1) {
    const made = key(pad, String(value), () => {
      if (first !== null) return lay(first, made);
      first = made;
      return made.setAttribute("aria-pressed", "true");
    });
    made.dataset.value = value;
  }
  key(pad, "⌫", () => {
    if (first !== null) return release();
    return fill(field, typed(field).slice(0, -1));
  }).dataset.value = "";
  strokesOver(pad, lay);
  return pad;
}

function strokesOver(pad, lay) {
  let from = null;
  let over = null;
  let done = false; // Here already: a browser calls a short stroke a tap too, and drops a tap that follows a quick one.
  const keyAt = ({ clientX, clientY }) => {
    const found = document.elementFromPoint(clientX, clientY);
    const made = found && found.closest("[data-value]");
    return made && pad.contains(made) ? made : null;
  };
  const mark = (made, on) => made && made.classList.toggle("over", on);
  const reach = (made) => {
    if (over !== from) mark(over, false);
    over = made;
    mark(over, true);
  };
  const stop = () => {
    for (const made of [from, over]) mark(made, false);
    from = over = null;
  };
  pad.addEventListener("pointerdown", (event) => {
    done = false;
    from = event.button ? null : keyAt(event);
    reach(from);
  });
  pad.addEventListener("pointermove", (event) => from && reach(keyAt(event)));
  pad.addEventListener("pointerup", (event) => {
    const to = from && keyAt(event);
    done = Boolean(to);
    if (done && to === from) from.click();
    else if (done && from.dataset.value && to.dataset.value) lay(from, to);
    stop();
  });
  pad.addEventListener("pointerleave", stop);
  pad.addEventListener("pointercancel", stop);
  pad.addEventListener("click", (event) => done && event.detail && event.stopPropagation(), true);
}

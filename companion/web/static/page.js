// The live page: follows the journal, puts in the parts that changed, and stays usable when the connection drops; and
// what every page does. Everything works without this file, by reloading.

const shown = new WeakMap(); // What each part of the page was last made from.
const live = document.getElementById("live");
const LOOKS_MS = 6000; // Whoever moves the page looks at something else for so long.
const FOLDS_MS = 8000;
const BRIEF_MS = 6000; // So long what was taken away may be put back.
const folded = new Set(); // The rulings that were folded, each once.
let newest = null;
let looked = 0;
let line = null;
let leaving = false;
// Back from the next page asks for this one by its address, and sends no form again.
if (document.body.dataset.address) history.replaceState(history.state, "", document.body.dataset.address);
passBy(document);
if (live) follow(live);
if (document.getElementById("region-join")) leave();
keepPlace();

// Another game lies on the table; whoever has just begun it is on the way to it.
function anew() {
  if (!leaving) location.reload();
}

function follow(root) {
  const tv = root.dataset.tv;
  const news = document.getElementById("news");
  const voice = voiceButton();
  const sound = soundButton();
  awakeButton(tv === "1");
  const called = new Set(root.dataset.called.split(" ")); // What was said, or stood here before.
  let next = "";
  let seq = Number(root.dataset.seq);
  // As the box sent them: a panel opened before the first answer comes is no difference.
  for (const region of root.querySelectorAll("[id^=region-]")) shown.set(region, plain(region));
  sendLeftBehind();

  async function look(signal) {
    const answer = await fetch(`/regions?tv=${tv}`, { headers: { Accept: "application/json" }, signal });
    if (!answer.ok) throw new Error(String(answer.status));
    const state = await answer.json();
    if (state.game !== root.dataset.game) anew();
    await down;
    show(state);
    return state.mark;
  }

  function show(state) {
    for (const [name, html] of Object.entries(state.regions)) {
      const region = document.getElementById(`region-${name}`);
      if (region) put(region, html);
    }
    document.title = state.title;
    showNewest();
    if (seq !== state.seq) settle();
    seq = state.seq;
    const fresh = state.calls.filter((call) => !called.has(call.key));
    const lead = fresh.filter((call) => led(call) && [...called].some((key) => key.indexOf(led(call)) === 0))[0];
    if (lead && tv === "1") tellLead(lead.text);
    for (const call of fresh) called.add(call.key);
    if (!fresh.length) return;
    const sentences = fresh.map((call) => call.text).concat(state.next && state.next !== next ? [state.next] : []);
    next = state.next;
    news.textContent = sentences.join(" ");
    voice(sentences);
    sound((fresh.filter((call) => call.tone === "won")[0] || fresh[0]).tone);
  }

  line = window.openLine({
    game: root.dataset.game,
    from: () => seq,
    look,
    tell: (seconds) => tellLost(root, seconds),
    gone: anew,
  });
  document.documentElement.dataset.live = "1";
  showNewest();
}

// Where the keys cover a part of the table, the tile that was just laid, or the double that waits, is brought into the
// gap between whose turn it is and the keys, and a round that is over on top, unless somebody is just looking elsewhere.
// Before the first tile the keys are. A ruling folds to its title.
for (const sign of ["wheel", "touchmove"]) addEventListener(sign, () => (looked = Date.now()), { passive: true });

function showNewest(own = false) {
  const resting = live.querySelector(".round-over, .dock-key, .podium"); // Older browsers have no `:has()` for it.
  document.getElementById("main").classList.toggle("resting", resting !== null);
  const dock = [".dock", "#region-act"].map((part) => live.querySelector(part)).filter(sticks)[0];
  if (!dock) return;
  foldRulings(dock);
  // A tile that Tab comes to is scrolled clear of the keys.
  const beside = dock.getBoundingClientRect().left > innerWidth / 3;
  document.body.style.setProperty("--keys", beside ? "0px" : `${dock.offsetHeight}px`);
  const tile = live.querySelector(".to-cover .laid:nth-last-child(2) .domino") || live.querySelector(".newest .domino");
  const over = live.querySelector(".podium") || live.querySelector(".round-over");
  const next = [...live.querySelectorAll(".choices .in-dock")].filter((key) => key.offsetParent)[0]; // On a wide screen.
  const told = live.querySelector(".newest.fault") ? ".asked > [id], .alerts [id]" : ".asked > [id], .alerts .question";
  const asked = dock.id ? live.querySelector(told) : null; // Apart from the keys there too.
  const at = next ? next.getAttribute("href") : asked ? asked.id : over ? over.className : tile ? tile.closest(".at").getAttribute("href") : "";
  if (at === newest || (!own && Date.now() - looked < LOOKS_MS)) return;
  newest = at;
  const turn = document.getElementById("region-turn");
  if (next && next.getBoundingClientRect().top < 0) turn.scrollIntoView();
  if (asked) scrollBy(0, Math.min(0, asked.getBoundingClientRect().top - turn.getBoundingClientRect().bottom));
  if (next || asked) return;
  if (over && over.getBoundingClientRect().top < 0) over.scrollIntoView();
  if (over) return;
  const keys = dock.getBoundingClientRect(); // They are below the table, beside it, or there are none.
  if (!tile && keys.bottom > innerHeight) scrollBy(0, turn.getBoundingClientRect().top);
  if (!tile) return;
  const top = Math.max(0, turn.getBoundingClientRect().bottom);
  const bottom = keys.height && keys.left < innerWidth / 3 ? keys.top : innerHeight;
  const box = tile.getBoundingClientRect();
  if (box.top >= top && box.bottom + 24 <= bottom) return;
  const by = (box.top + box.bottom) / 2 - ((sticks(turn) ? turn.offsetHeight : 0) + bottom) / 2;
  // The part below the table stays below the screen, or the keys beside the table would be pushed out above.
  scrollBy(0, Math.min(by, Math.max(0, dock.closest(".front").getBoundingClientRect().bottom - innerHeight)));
}

function sticks(part) {
  return part !== null && getComputedStyle(part).position === "sticky";
}

function foldRulings(dock) {
  for (const part of dock.querySelectorAll("[data-folds][open]")) {
    const name = part.className;
    if (folded.has(name)) continue;
    folded.add(name);
    setTimeout(() => {
      const then = dock.querySelector(`details.${name}`);
      if (then) then.open = false;
    }, FOLDS_MS);
  }
}

// An offer for a moment goes by itself.
function passBy(region) {
  for (const part of region.querySelectorAll("[data-brief]")) setTimeout(() => part.remove(), BRIEF_MS);
}

// With as many rounds as before somebody else leads: the points were put right. The screen says so for a while.
const LEAD_MS = 20000;
let telling = 0;

function led(call) {
  return (/^lead\d+:/.exec(call.key) || [""])[0];
}

function tellLead(sentence) {
  say("lead", sentence);
  clearTimeout(telling);
  telling = setTimeout(() => say("lead", ""), LEAD_MS);
}

// How old the page is, where it is out of date; null: it is not.
let lostFor = null;
function tellLost(root, seconds) {
  lostFor = seconds;
  document.body.classList.toggle("stale", seconds !== null);
  say("lost", seconds === null ? "" : root.dataset.lost.replace("{n}", String(seconds)));
}

// The lines over the table, each said by its own part of the page; "" says nothing.
function say(id, sentence) {
  const place = document.getElementById(id);
  if (place.textContent !== sentence) write(place, sentence);
  place.hidden = !sentence;
  // The line that says whose turn it is stays below them.
  document.body.style.setProperty("--lines", `${document.getElementById("lines").offsetHeight}px`);
}

// A key replaced under a finger takes the tap with it: news waits for the click, but not for a finger that stays.
let down = null;
let lift = () => {};
addEventListener("pointerdown", () => {
  lift();
  down = new Promise((done) => (lift = done));
  setTimeout(lift, 2000);
});
addEventListener("pointerup", () => setTimeout(lift, 400)); // A touch clicks a moment later.
addEventListener("pointercancel", () => lift());
addEventListener("click", () => setTimeout(lift));

// The second tap of two in a row was meant for the keys that were there before: new ones take none at first.
const SETTLING_MS = 600;
let settled;
function settle() {
  live.style.pointerEvents = "none";
  clearTimeout(settled);
  settled = setTimeout(() => (live.style.pointerEvents = ""), SETTLING_MS);
}

// Replaces a part only when it differs, and keeps focus, open panels and whatever was chosen and not yet sent. After
// a tap of your own it keeps nothing: that was sent.
function put(region, html, sent = false) {
  if (shown.get(region) === html) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  const same = shown.get(region) === plain(fresh);
  // A question or a refusal stays until the table has changed: other news of this moment may come late.
  if (!sent && region.querySelector(".ask-back, .complaint") && stampOf(region) === stampOf(fresh.content)) return;
  shown.set(region, html);
  if (same && !sent) return;
  const held = document.activeElement;
  const inside = region.contains(held) ? mark(held) : null;
  const opened = new Map([...region.querySelectorAll("details")].map((part) => [part.className, part.open]));
  const chosen = sent ? [] : touched(region);
  while (region.firstChild) region.firstChild.remove();
  region.append(fresh.content);
  for (const part of region.querySelectorAll("details")) {
    if (sent && part.className !== "panel entry" && !part.matches("[data-folds]")) continue;
    if (opened.has(part.className)) part.open = opened.get(part.className);
  }
  passBy(region);
  for (const restore of chosen) restore(region);
  const again = inside ? region.querySelector(inside) : null;
  if (again) again.focus({ preventScroll: true });
}

// After which entry of the game a part's forms were made.
function stampOf(part) {
  const stamp = part.querySelector("[name=expected_seq]");
  return stamp ? stamp.value : "";
}

// A person's changes in the forms of a part, as functions that make them again.
function touched(region) {
  const found = [];
  for (const field of region.querySelectorAll("form input:not([type=hidden]), form select")) {
    const place = `${formOf(field)} [name="${CSS.escape(field.name)}"]`;
    if (field.type === "radio" && field.checked && !field.defaultChecked) {
      found.push((part) => {
        const same = part.querySelector(`${place}[value="${CSS.escape(field.value)}"]`);
        if (same) same.checked = true;
      });
    } else if (field.localName === "select" && field.selectedIndex > 0 && !field.selectedOptions[0].defaultSelected) {
      found.push((part) => {
        const same = part.querySelector(place);
        if (same) same.value = field.value;
      });
    } else if (field.type === "text" && field.value !== field.defaultValue) {
      found.push((part) => {
        const same = part.querySelector(place);
        if (same) same.value = field.value;
      });
    }
  }
  return found;
}

function formOf(field) {
  return `form[action="${CSS.escape(field.form.getAttribute("action"))}"]`;
}

// A tap on the live page is sent without leaving it, so that nothing jumps; the answer is the page as it is then.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!live || !live.contains(form) || form.method !== "post") return;
  leaving = "leaves" in form.dataset;
  if (leaving) return;
  event.preventDefault();
  if (form.dataset.sent) return;
  form.dataset.sent = "1";
  send(form, tapped(event, form)).finally(() => delete form.dataset.sent);
});

// Which button it was; browsers before 2020 do not say.
let pressed = null;
document.addEventListener("click", (event) => (pressed = event.target.closest("button")), true);
function tapped(event, form) {
  if (event.submitter) return event.submitter;
  return pressed && pressed.form === form ? pressed : null;
}

// A stroke from a number to a train is the tap on each in one.
let number = null;
addEventListener("pointerdown", (event) => (number = event.button ? null : event.target.closest('.act button[name="outer"]')));
addEventListener("pointercancel", () => (number = null));
addEventListener("pointerup", ({ clientX, clientY }) => {
  const under = number && document.elementFromPoint(clientX, clientY);
  const train = under && under.closest(".lane .chip");
  if (train && number.form === train.closest("form")) {
    train.querySelector("input").checked = true;
    number.click();
  }
  number = null;
});

const TAP_PATIENCE_MS = 8000; // An answer to a tap may take so long,
const TAP_KEPT_MS = 120000; // and it is kept so long: twice it counts once.

async function send(form, submitter) {
  const fields = new URLSearchParams(new FormData(form));
  if (submitter && submitter.name) fields.append(submitter.name, submitter.value);
  await deliver({ address: form.action, body: fields.toString(), since: Date.now() });
}

async function deliver(tap) {
  keep(tap);
  while (Date.now() - tap.since < TAP_KEPT_MS) {
    try {
      const answer = await post(tap.address, new URLSearchParams(tap.body));
      keep(null);
      say("unsent", "");
      if (line) line.heard(null);
      await answered(answer);
      return;
    } catch (fault) {
      say("unsent", live.dataset.kept);
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
  keep(null);
  say("unsent", live.dataset.unsent);
}

async function post(address, fields) {
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(), TAP_PATIENCE_MS);
  try {
    const answer = await fetch(address, { method: "POST", body: fields, signal: stop.signal });
    return { redirected: answer.redirected, url: answer.url, text: await answer.text() };
  } finally {
    clearTimeout(late);
  }
}

async function answered(answer) {
  const page = new DOMParser().parseFromString(answer.text, "text/html");
  if (!page.getElementById("live")) {
    location.assign(answer.redirected ? answer.url : "/");
    return;
  }
  await down;
  for (const region of live.querySelectorAll("[id^=region-]")) {
    const fresh = page.getElementById(region.id);
    if (fresh) put(region, fresh.innerHTML, true);
  }
  settle();
  showNewest(true);
  const asked = live.querySelector(".act .complaint");
  if (asked) asked.scrollIntoView({ block: "center" });
  const told = page.getElementById("told-back");
  if (told) {
    say("unsent", told.textContent);
    setTimeout(() => say("unsent", ""), 6000);
  }
}

// A tap under way when the page is left is sent when it is opened again.
function keep(tap) {
  stored(() => (tap ? sessionStorage.setItem("tap", JSON.stringify(tap)) : sessionStorage.removeItem("tap")));
}

function sendLeftBehind() {
  const tap = stored(() => JSON.parse(sessionStorage.getItem("tap")));
  if (tap) deliver(tap);
}

// Storage may be refused; the page works without it.
function stored(use) {
  try {
    return use();
  } catch (fault) {
    return null;
  }
}

function plain(part) {
  return part.innerHTML.replace(/\s+/g, " ").trim();
}

function mark(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  if (href) return `[href="${CSS.escape(href)}"]`;
  if (element.name) {
    const value = element.type === "radio" || element.localName === "button" ? `[value="${CSS.escape(element.value)}"]` : "";
    return `[name="${CSS.escape(element.name)}"]${value}`;
  }
  const sent = element.form && element.form.getAttribute("action");
  if (sent) return `form[action="${CSS.escape(sent)}"] ${element.localName}:not([name])`;
  return element.localName === "summary" ? `details.${element.parentElement.classList[0]} > summary` : null;
}

// A switch stays on, on every page of this browser.
function remembered(button, what, change) {
  const name = `call-${what}`;
  const show = (on) => {
    button.setAttribute("aria-pressed", String(on));
    change(on);
  };
  let on = stored(() => localStorage.getItem(name)) === "1";
  button.hidden = false;
  button.addEventListener("click", () => {
    on = !on;
    stored(() => localStorage.setItem(name, on ? "1" : "0"));
    show(on);
  });
  show(on);
}

// The browser's own speech; off until asked for, since a page must not start talking by itself.
function voiceButton() {
  const button = document.getElementById("voice");
  if (!button || !("speechSynthesis" in window)) return () => {};
  const lang = document.documentElement.lang;
  let on = false;
  const voice = () => speechSynthesis.getVoices().filter((one) => one.lang.toLowerCase().indexOf(lang) === 0)[0];
  const look = () => {
    const none = speechSynthesis.getVoices().length > 0 && !voice();
    button.title = none ? button.dataset.none : "";
  };
  speechSynthesis.addEventListener("voiceschanged", look);
  look();
  remembered(button, "voice", (now) => {
    on = now;
    if (!on) speechSynthesis.cancel();
  });
  return (sentences) => {
    if (!on || (speechSynthesis.getVoices().length && !voice())) return;
    for (const sentence of sentences) {
      const words = new SpeechSynthesisUtterance(sentence);
      words.lang = lang;
      if (voice()) words.voice = voice();
      speechSynthesis.speak(words);
      document.documentElement.dataset.spoke = sentence;
    }
  };
}

// Short tones: one for a play, two falling ones for a fault, two rising ones for a question,
// a fanfare for the winner. Off until asked for.
function soundButton() {
  const button = document.getElementById("sound");
  if (!button || !("AudioContext" in window)) return () => {};
  const tunes = { play: [660], fault: [440, 277], question: [440, 587], good: [587, 880], won: [523, 659, 784, 1047, 784, 1047] };
  let context = null;
  remembered(button, "sound", (on) => {
    if (context) context.close();
    context = on ? new AudioContext() : null;
    if (context) ring("play");
  });
  // A browser lets a page sound only after somebody has touched it.
  for (const sign of ["pointerdown", "keydown"]) {
    addEventListener(sign, () => {
      if (context && context.state === "suspended") context.resume();
    });
  }
  function ring(tone) {
    if (!context) return;
    (tunes[tone] || []).forEach((pitch, n) => {
      const start = context.currentTime + 0.16 * n;
      const note = new OscillatorNode(context, { type: "triangle", frequency: pitch });
      const volume = new GainNode(context, { gain: 0 });
      volume.gain.setTargetAtTime(0.15, start, 0.01);
      volume.gain.setTargetAtTime(0, start + 0.09, 0.04);
      note.connect(volume).connect(context.destination);
      note.start(start);
      note.stop(start + 0.5);
    });
    document.documentElement.dataset.rang = tone;
  }
  return ring;
}

// The screen stays on while the page is seen, where the browser lets it: only with https. A big one needs no key for it.
function awakeButton(always) {
  const button = document.getElementById("awake");
  if (!("wakeLock" in navigator)) return;
  let lock = null;
  let on = always;
  const hold = async () => {
    if (lock) await lock.release().catch(() => {});
    lock = on && !document.hidden ? await navigator.wakeLock.request("screen").catch(() => null) : null;
    document.documentElement.dataset.awake = lock ? "1" : "0";
  };
  document.addEventListener("visibilitychange", hold);
  if (always) hold();
  else remembered(button, "awake", (now) => {
    on = now;
    hold();
  });
}

// A form that returns to this page must not throw a phone back to the top, unless something was refused: then that is
// what is to be seen. One that leads on leaves nothing behind.
function keepPlace() {
  const refused = document.querySelector("[aria-invalid=true]") || document.querySelector(".complaint");
  if (refused) {
    for (let part = refused.parentElement; part; part = part.parentElement) if (part.localName === "details") part.open = true;
    refused.scrollIntoView({ block: "center" });
    if (refused.focus) refused.focus({ preventScroll: true });
  }
  const [path, kept] = (stored(() => sessionStorage.getItem("place")) || "").split(" ");
  if (path === location.pathname && !refused) scrollTo(0, Number(kept));
  stored(() => sessionStorage.removeItem("place"));
  const stay = () => sessionStorage.setItem("place", `${location.pathname} ${scrollY}`);
  document.addEventListener("submit", () => stored(stay));
}

// Writes a sentence, each of its tiles kept in one line.
window.writeWhole = write;
function write(place, sentence) {
  place.textContent = "";
  sentence.split(/(\d+[-:]\d+)/).forEach((words, n) => {
    const part = n % 2 ? document.createElement("span") : null;
    if (part) {
      part.className = "whole";
      part.textContent = words;
    }
    place.append(part || words);
  });
}

// Another language or appearance loads the page anew: what was typed and chosen in it comes along.
const NOT_KEPT = ["hidden", "submit", "button", "file", "password"];

function typedHere() {
  return [...document.forms].map((form) =>
    [...form.elements]
      .filter((field) => field.name && field.name !== "pin" && field.localName !== "button" && NOT_KEPT.indexOf(field.type) < 0)
      .map((field) => [field.name, field.type === "radio" || field.type === "checkbox" ? [field.value, field.checked] : field.value]),
  );
}

function typeAgain(forms) {
  forms.forEach((fields, n) => {
    const form = document.forms[n];
    for (const [name, kept] of form ? fields : []) {
      const same = [...form.elements].filter((field) => field.name === name && NOT_KEPT.indexOf(field.type) < 0);
      const field = Array.isArray(kept) ? same.filter((one) => one.value === kept[0])[0] : same[0];
      if (!field || (Array.isArray(kept) ? field.checked === kept[1] : field.value === kept)) continue;
      if (Array.isArray(kept)) field.checked = kept[1];
      else field.value = kept;
      for (let part = field.parentElement; part; part = part.parentElement) if (part.localName === "details") part.open = true;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
}

stored(() => {
  const [path, forms] = JSON.parse(sessionStorage.getItem("typed") || "[]");
  sessionStorage.removeItem("typed");
  if (path === location.pathname) typeAgain(forms);
  document.addEventListener("click", ({ target, ctrlKey, metaKey, shiftKey }) => {
    const link = target.closest("[data-same-page]");
    if (!link || ctrlKey || metaKey || shiftKey) return;
    sessionStorage.setItem("typed", JSON.stringify([link.pathname || location.pathname, typedHere()]));
  });
});

// Show the parts that need scripts.
for (const part of document.querySelectorAll("[data-scripted]")) part.hidden = false;

// A refused field that is mended is refused no longer.
document.addEventListener("input", ({ target }) => {
  if (target.getAttribute("aria-invalid") !== "true") return;
  target.removeAttribute("aria-invalid");
  const complaint = document.getElementById(target.getAttribute("aria-describedby"));
  if (complaint) complaint.remove();
});

// How to join in is said for a minute, and as long as no round is being played; a key, a touch or the mouse brings it
// back for another minute.
function leave() {
  const region = document.getElementById("region-join");
  const tools = document.querySelector(".tv .tools");
  let waiting = 0;
  const show = () => {
    const card = document.getElementById("join");
    if (card) card.hidden = false;
    if (tools) tools.hidden = false;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const then = document.getElementById("join");
      if (then && !("stays" in then.dataset)) then.hidden = true;
      if (tools) tools.hidden = true;
    }, Number((card && card.dataset.seconds) || 60) * 1000);
  };
  for (const sign of ["keydown", "pointerdown", "pointermove"]) addEventListener(sign, show);
  new MutationObserver(show).observe(region, { childList: true });
  show();
}

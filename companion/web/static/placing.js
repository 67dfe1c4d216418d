// The table's corners on the camera's picture, or the places where everybody's train starts: handles for mouse, finger and
// keyboard, kept equal to the form's numbers. Without this file the numbers alone do the same.

for (const stage of document.querySelectorAll("[data-placing]")) place(stage);

function place(stage) {
  const form = document.querySelector("[data-corners]");
  if (!form) return;
  const image = stage.querySelector("img");
  const outline = stage.querySelector("polygon");
  const spokes = stage.querySelectorAll("line");
  const names = JSON.parse(stage.dataset.names || "null");
  const shorts = JSON.parse(stage.dataset.shorts || "null");
  const sits = JSON.parse(stage.dataset.sits || "[]");
  const fields = [];
  for (let n = 0; form.elements[`x${n}`]; n++) fields.push({ x: form.elements[`x${n}`], y: form.elements[`y${n}`] });
  const loupe = document.createElement("div");
  loupe.className = "loupe";
  loupe.hidden = true;
  const handles = fields.map((field, n) => handle(n, field));
  stage.append(loupe, ...handles);
  const chosen = names ? chooser() : null;
  draw();
  form.addEventListener("input", draw);
  addEventListener("resize", draw);
  image.addEventListener("load", draw);

  // A name is chosen below the picture and put down by a tap in it: for fingers, and where many handles lie close. Trains
  // and chairs are shown one after the other, so that half as many lie there.
  function chooser() {
    const list = document.createElement("div");
    list.className = "chips who-sits";
    const buttons = names.map((name, n) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = name;
      button.addEventListener("click", () => choose(n));
      return button;
    });
    list.append(...buttons);
    let now = 0;
    function choose(n) {
      now = n;
      buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === n)));
      handles.forEach((knob, other) => {
        knob.classList.toggle("chosen", other === n);
        knob.hidden = Boolean(sits[other]) !== Boolean(sits[n]);
      });
      draw();
    }
    image.addEventListener("click", (event) => {
      const box = image.getBoundingClientRect();
      move(now, (100 * (event.clientX - box.left)) / box.width, (100 * (event.clientY - box.top)) / box.height);
    });
    stage.after(list);
    setTimeout(() => choose(0));
    return choose;
  }

  function handle(n, field) {
    const knob = document.createElement("button");
    knob.type = "button";
    knob.className = names ? "corner seat" : "corner";
    knob.textContent = names ? names[n] : String(n + 1);
    if (shorts) knob.dataset.short = shorts[n];
    knob.addEventListener("pointerdown", (event) => {
      if (chosen) chosen(n);
      knob.setPointerCapture(event.pointerId);
      knob.focus({ preventScroll: true });
      event.preventDefault();
    });
    knob.addEventListener("pointermove", (event) => {
      if (!knob.hasPointerCapture(event.pointerId)) return;
      const box = image.getBoundingClientRect();
      move(n, (100 * (event.clientX - box.left)) / box.width, (100 * (event.clientY - box.top)) / box.height);
      look(n, box);
    });
    for (const end of ["pointerup", "pointercancel"]) knob.addEventListener(end, () => (loupe.hidden = true));
    knob.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 2 : 0.1;
      const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (!way) return;
      event.preventDefault();
      move(n, Number(field.x.value) + way[0], Number(field.y.value) + way[1]);
    });
    return knob;
  }

  function move(n, x, y) {
    fields[n].x.value = Math.min(100, Math.max(0, x)).toFixed(2);
    fields[n].y.value = Math.min(100, Math.max(0, y)).toFixed(2);
    draw();
  }

  function draw() {
    fields.forEach((field, n) => {
      const knob = handles[n];
      if (!knob) return;
      knob.style.left = `${field.x.value}%`;
      knob.style.top = `${field.y.value}%`;
      const name = names ? names[n] : stage.dataset.corner.replace("{n}", String(n + 1));
      knob.setAttribute("aria-label", `${name}: ${field.x.value} %, ${field.y.value} %`);
    });
    if (outline) outline.setAttribute("points", fields.map((field) => `${field.x.value},${field.y.value}`).join(" "));
    spokes.forEach((spoke, n) => {
      spoke.setAttribute("x2", fields[n].x.value);
      spoke.setAttribute("y2", fields[n].y.value);
    });
    if (names) part();
  }

  // Handles that would cover each other are shown beside their places; where they stand in the form does not change.
  function part() {
    const box = image.getBoundingClientRect();
    const shown = handles.filter((knob) => knob && !knob.hidden);
    const at = shown.map((knob) => {
      const n = handles.indexOf(knob);
      const [w, h] = [knob.offsetWidth / 2, knob.offsetHeight / 2];
      return { knob, w, h, x: (Number(fields[n].x.value) / 100) * box.width, y: (Number(fields[n].y.value) / 100) * box.height };
    });
    const from = at.map((one) => [one.x, one.y]);
    for (let round = 0; round < 200; round++) {
      let moved = false;
      for (let i = 0; i < at.length; i++) {
        for (let j = 0; j < i; j++) {
          const [a, b] = [at[i], at[j]];
          const [dx, dy] = [a.x - b.x, a.y - b.y];
          const [over, under] = [a.w + b.w + 2 - Math.abs(dx), a.h + b.h + 2 - Math.abs(dy)];
          if (over <= 0 || under <= 0) continue;
          moved = true;
          if (over < under) {
            const push = ((dx < 0 ? -1 : 1) * over) / 2;
            a.x += push;
            b.x -= push;
          } else {
            const push = ((dy < 0 ? -1 : 1) * under) / 2;
            a.y += push;
            b.y -= push;
          }
        }
      }
      for (const one of at) {
        one.x = Math.min(Math.max(one.x, one.w), Math.max(one.w, box.width - one.w));
        one.y = Math.min(Math.max(one.y, one.h), Math.max(one.h, box.height - one.h));
      }
      if (!moved) break;
    }
    at.forEach((one, i) => {
      const [dx, dy] = [one.x - from[i][0], one.y - from[i][1]];
      one.knob.style.transform = `translate(calc(-50% + ${dx.toFixed(1)}px), calc(-50% + ${dy.toFixed(1)}px))`;
    });
  }

  // The place under the finger, four times as large, in the opposite corner of the picture.
  function look(n, box) {
    const [x, y] = [Number(fields[n].x.value) / 100, Number(fields[n].y.value) / 100];
    const zoom = 4;
    loupe.hidden = false;
    loupe.classList.toggle("right", x < 0.5);
    loupe.style.backgroundImage = `url("${image.currentSrc || image.src}")`;
    loupe.style.backgroundSize = `${box.width * zoom}px ${box.height * zoom}px`;
    const [w, h] = [loupe.clientWidth, loupe.clientHeight];
    loupe.style.backgroundPosition = `${w / 2 - x * box.width * zoom}px ${h / 2 - y * box.height * zoom}px`;
  }
}

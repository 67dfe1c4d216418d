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
  const fields = [];
  for (let n = 0; form.elements[`x${n}`]; n++) fields.push({ x: form.elements[`x${n}`], y: form.elements[`y${n}`] });
  const loupe = document.createElement("div");
  loupe.className = "loupe";
  loupe.hidden = true;
  const handles = fields.map((field, n) => handle(n, field));
  stage.append(loupe, ...handles);
  draw();
  form.addEventListener("input", draw);

  function handle(n, field) {
    const knob = document.createElement("button");
    knob.type = "button";
    knob.className = names ? "corner seat" : "corner";
    knob.textContent = names ? names[n] : String(n + 1);
    knob.addEventListener("pointerdown", (event) => {
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

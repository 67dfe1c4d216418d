// The list in which acts are put in order: its keys move a line without loading the page, and its handle drags it.

const list = document.querySelector("[data-order]");
const field = list && list.closest("form").elements.order;

function keep() {
  field.value = [...list.children].map((line) => line.dataset.line).join(" ");
}

function move(line, steps) {
  const other = steps < 0 ? line.previousElementSibling : line.nextElementSibling;
  if (!other) return;
  list.insertBefore(line, steps < 0 ? other : other.nextElementSibling);
  keep();
}

if (list) {
  list.addEventListener("click", (event) => {
    const key = event.target.closest("[data-move]");
    if (!key) return;
    event.preventDefault();
    move(key.closest("li"), Number(key.dataset.move));
    key.focus();
  });
  let held = null;
  list.addEventListener("dragstart", (event) => event.preventDefault());
  list.addEventListener("pointerdown", (event) => {
    held = event.target.closest(".handle") && event.target.closest("li");
    if (held) held.classList.add("held");
  });
  addEventListener("pointermove", (event) => {
    if (!held) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const other = under && under.closest("[data-order] > li");
    if (!other || other === held) return;
    const lines = [...list.children];
    list.insertBefore(held, lines.indexOf(other) < lines.indexOf(held) ? other : other.nextElementSibling);
    keep();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, () => {
      if (held) held.classList.remove("held");
      held = null;
    });
  }
}

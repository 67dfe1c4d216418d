// The picture of now with what was read in it, as long as its part is open; whether it is open is remembered.
for (const part of document.querySelectorAll("[data-view]")) {
  const place = part.querySelector(".seen");
  const draw = (name, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  // The part of the picture in which tiles and hands are, with what may be laid beside them next, so that their values
  // can be read on a phone; a tap shows all of it, another one the part again.
  let whole = false;
  place.addEventListener("click", () => {
    whole = !whole;
    look();
  });
  const around = (seen, w, h) => {
    const points = seen.tiles.map((tile) => tile.quad).reduce((all, quad) => all.concat(quad), seen.arms.map((arm) => arm.at));
    if (whole || !points.length) return `0 0 ${w} ${h}`;
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
    const side = Math.min(1, Math.max(0.3, Math.max(...xs) - Math.min(...xs) + 0.3, Math.max(...ys) - Math.min(...ys) + 0.3));
    const from = (all) => Math.min(1 - side, Math.max(0, (Math.max(...all) + Math.min(...all) - side) / 2));
    return `${from(xs) * w} ${from(ys) * h} ${side * w} ${side * h}`;
  };
  const show = (seen) => {
    if (!seen.picture) {
      place.textContent = part.dataset.none;
      return;
    }
    const [w, h] = seen.size;
    const svg = draw("svg", { viewBox: around(seen, w, h), role: "img", "aria-label": part.querySelector("summary").textContent });
    svg.append(draw("image", { href: seen.picture, width: w, height: h }));
    for (const { quad, values } of seen.tiles) {
      const corners = quad.map(([x, y]) => [x * w, y * h]);
      svg.append(draw("polygon", { points: corners.map((at) => at.join()).join(" "), class: values ? "tile" : "tile unread" }));
      const middle = (...which) => [0, 1].map((axis) => which.reduce((sum, n) => sum + corners[n][axis], 0) / which.length);
      const size = Math.max(9, 0.42 * Math.hypot(corners[0][0] - corners[3][0], corners[0][1] - corners[3][1]));
      const [one, other] = [middle(0, 1), middle(2, 3)];
      (values || ["?"]).forEach((value, n) => {
        const share = values ? 0.27 + 0.46 * n : 0.5;
        const [x, y] = [0, 1].map((axis) => one[axis] + share * (other[axis] - one[axis]));
        svg.append(draw("text", { x, y, "font-size": size, "text-anchor": "middle", "dominant-baseline": "central" }, value));
      });
    }
    for (const { at, name } of seen.arms) {
      if (name) svg.append(draw("text", { x: at[0] * w, y: at[1] * h, class: "arm", "font-size": w / 22, "text-anchor": "middle" }, name));
    }
    place.textContent = "";
    place.append(svg);
  };
  let waiting = 0;
  const look = async () => {
    clearTimeout(waiting);
    if (!part.open) return;
    if (!document.hidden) {
      const answer = await fetch(part.dataset.view).catch(() => null);
      if (answer && answer.ok) show(await answer.json());
    }
    waiting = setTimeout(look, 1000);
  };
  try {
    part.open = localStorage.getItem("eye") !== "0";
  } catch (fault) {
    // Storage may be refused.
  }
  part.addEventListener("toggle", () => {
    try {
      localStorage.setItem("eye", part.open ? "1" : "0");
    } catch (fault) {
      // As above.
    }
    look();
  });
  look();
}

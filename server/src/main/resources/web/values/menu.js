/** The context menu of a value: one list of links for the whole page. */

import { element } from "../element.js";

/**
 * Shows the links next to an element, and focuses them. Escape, or a click elsewhere, closes them.
 *
 * @param entries {text, href} or {text, action}
 */
export function open(at, heading, entries) {
  const menu = place();
  const items = entries.map((entry) => element("li", {}, item(menu, entry)));
  menu.replaceChildren(element("p", { id: "menu-heading" }, heading), element("ul", {}, ...items));
  menu.showPopover();
  const { left, top } = position(at, menu.getBoundingClientRect());
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
  menu.querySelector("a, button").focus();
}

function item(menu, { text, href, action }) {
  const made = href ? element("a", { href }, text) : element("button", { type: "button" }, text);
  made.addEventListener("click", () => {
    menu.hidePopover();
    action?.();
  });
  return made;
}

function position(at, size) {
  const box = at instanceof Element ? at.getBoundingClientRect() : { left: at.x, bottom: at.y, top: at.y };
  const below = box.bottom + 4 + size.height <= innerHeight;
  return {
    left: Math.max(8, Math.min(box.left, innerWidth - size.width - 8)),
    top: Math.max(8, Math.min(below ? box.bottom + 4 : box.top - size.height - 4, innerHeight - size.height - 8)),
  };
}

/** Whether the menu is open; then its element must not be replaced. */
export const isOpen = () => document.getElementById("menu").matches(":popover-open");

function place() {
  const there = document.getElementById("menu");
  if (there.dataset.ready === undefined) {
    there.dataset.ready = "";
    there.addEventListener("keydown", (event) => {
      const links = [...there.querySelectorAll("a, button")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        links.at((links.indexOf(document.activeElement) + step) % links.length).focus();
      }
    });
  }
  return there;
}

// The changes of a page: makes what it shows like what the server sends, and touches nothing that is the same.
import { draw } from './charts.js';

/** Returns what tells an element from its siblings, so that a row keeps its element while others come and go. */
const name = (node) => node.nodeType === Node.ELEMENT_NODE ? node.tagName + '#' + node.id : String(node.nodeType);

const isSpace = (node) => node?.nodeType === Node.TEXT_NODE && node.nodeValue.trim() === '';

/** Makes an element like another one, and leaves alone what is the same, so that focus and selection stay. */
const become = (old, wanted) => {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
    return;
  }
  if (old.isEqualNode(wanted) || old.hasAttribute('data-keep')) return;
  if (old.hasAttribute('data-chart') && wanted.hasAttribute('data-chart')) {
    draw(old, wanted);
    return;
  }
  for (const { name: attribute } of [...old.attributes]) {
    // What a person has opened stays open.
    if (!wanted.hasAttribute(attribute) && !(attribute === 'open' && old.tagName === 'DETAILS')) old.removeAttribute(attribute);
  }
  for (const { name: attribute, value } of wanted.attributes) {
    if (old.getAttribute(attribute) !== value) old.setAttribute(attribute, value);
  }
  becomeChildren(old, wanted);
};

/** Makes the children of an element like those of another one. */
export const becomeChildren = (old, wanted) => {
  const named = new Map();
  for (const child of old.children) if (child.id) named.set(name(child), child);
  let place = old.firstChild;
  for (const next of [...wanted.childNodes]) {
    const known = next.id ? named.get(name(next)) : undefined;
    while (isSpace(place) && !isSpace(next)) {
      const space = place;
      place = place.nextSibling;
      space.remove();
    }
    if (known) {
      if (known !== place) old.insertBefore(known, place);
      else place = place.nextSibling;
      become(known, next);
    } else if (place && name(place) === name(next)) {
      const same = place;
      place = place.nextSibling;
      become(same, next);
    } else {
      old.insertBefore(next, place);
    }
  }
  while (place) {
    const rest = place;
    place = place.nextSibling;
    rest.remove();
  }
};

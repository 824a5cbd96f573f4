/**
 * Says why a key or a task does not move: one cause, when it will, and what to do. The core is pure; {@code api} gathers the facts,
 * and all who show the answer show the same text.
 */
@NullMarked
package dev.tandem.server.why;

import org.jspecify.annotations.NullMarked;

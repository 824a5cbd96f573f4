/** The hosted handlers, which are part of the server: {@code http}, {@code log} and {@code noop}; {@code pull} stands for programs elsewhere. */
@NullMarked
package dev.tandem.server.handlers;

import org.jspecify.annotations.NullMarked;

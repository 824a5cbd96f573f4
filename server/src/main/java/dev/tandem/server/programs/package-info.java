/** The hosted handler {@code cmd}: programs that the settings list, run without a shell and ended with all that they have started. */
@NullMarked
package dev.tandem.server.programs;

import org.jspecify.annotations.NullMarked;

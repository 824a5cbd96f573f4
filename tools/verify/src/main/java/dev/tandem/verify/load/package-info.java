/** The tasks that are published while things go wrong, and what their handlers are to do. */
@NullMarked
package dev.tandem.verify.load;

import org.jspecify.annotations.NullMarked;

/** The load of a trial: tasks that are published while faults are injected, and what their handlers do. */
@NullMarked
package dev.tandem.verify.load;

import org.jspecify.annotations.NullMarked;

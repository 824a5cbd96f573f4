/** The model of a task, and the ports between the modules. Depends on no other module. */
@NullMarked
package dev.tandem.task;

import org.jspecify.annotations.NullMarked;

/**
 * The settings under {@code tandem.}: the records that Spring Boot's binder fills, and their checks. The server, programs
 * with handlers of their own, and Spring applications read them in the same way.
 */
@NullMarked
package dev.tandem.runtime.settings;

import org.jspecify.annotations.NullMarked;

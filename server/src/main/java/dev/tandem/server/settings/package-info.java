/**
 * What a person may set, under {@code tandem.}: the records that Spring Boot fills, the check of what they say, and the
 * short message that stops the start when something is wrong.
 */
@NullMarked
package dev.tandem.server.settings;

import org.jspecify.annotations.NullMarked;

/**
 * The settings under {@code tandem.}: the records that Spring Boot fills, their checks, and the short message that ends
 * the start when a setting is wrong.
 */
@NullMarked
package dev.tandem.server.settings;

import org.jspecify.annotations.NullMarked;

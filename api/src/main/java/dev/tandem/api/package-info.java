/**
 * The types that applications use: {@linkplain dev.tandem.api.Handler handlers} that run tasks, and the {@linkplain
 * dev.tandem.api.TaskClient client} that submits them. These names stay: a later version adds to them, and changes none.
 */
@NullMarked
package dev.tandem.api;

import org.jspecify.annotations.NullMarked;

package dev.tandem.server.access;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says what a caller must be permitted for a route: one of these is enough, and none of them is
 * needed if there are none. On a class it holds for all routes that only read. A route without it is refused to everybody.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {
    Permission[] value();
}

package dev.tandem.spring.shop;

import dev.tandem.api.Backoff;
import dev.tandem.api.TaskHandler;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/** A composed annotation. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@TaskHandler(queue = "${shop.queue}", type = "", maxAttempts = 3, backoff = @Backoff(initial = "50ms", max = "1s"))
public @interface ShopHandler {

    @AliasFor(annotation = TaskHandler.class, attribute = "type")
    String value();

    @AliasFor(annotation = TaskHandler.class, attribute = "aliases")
    String[] formerly() default {};
}

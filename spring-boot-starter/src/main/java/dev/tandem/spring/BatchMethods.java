package dev.tandem.spring;

import dev.tandem.api.Result;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.List;

/** Checks what is special about methods that run batches. */
final class BatchMethods {

    private BatchMethods() {}

    /**
     * Returns the type of the elements of a parameter.
     *
     * @throws IllegalArgumentException if the parameter is no list
     */
    static Type element(Type declared) {
        if (declared instanceof ParameterizedType list && list.getRawType() == List.class) {
            Type element = list.getActualTypeArguments()[0];
            return element instanceof WildcardType wildcard ? wildcard.getUpperBounds()[0] : element;
        }
        throw new IllegalArgumentException("with a batch the method gets several tasks, but one of its parameters is "
                + declared.getTypeName() + ": use List<...> of it, or leave the batch out");
    }

    /** @throws IllegalArgumentException if the method cannot say how each of its tasks ended */
    static void checkReturned(Method method) {
        if (method.getReturnType() == Result.class) {
            throw new IllegalArgumentException("with a batch the method gets several tasks, but it returns one Result:"
                    + " return List<Result>, one for each task, or nothing");
        }
    }
}

package dev.tandem.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the method of a bean's proxy that stands for a method of the bean's class. */
final class Invocables {

    private Invocables() {}

    /** @throws IllegalStateException if the proxy does not have the method; the message says what to do */
    static Method of(Method method, Object bean) {
        if (AopUtils.isCglibProxy(bean) && Modifier.isFinal(method.getModifiers())) {
            throw new IllegalStateException("the method is final, so that the bean's proxy cannot pass calls on to the"
                    + " bean: make it not final");
        }
        Method found;
        try {
            found = AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "the bean has a JDK proxy, which has only the methods of its interfaces: add the method to an"
                            + " interface of the bean, or let Spring proxy the class (proxyTargetClass=true)",
                    e);
        }
        ReflectionUtils.makeAccessible(found);
        return found;
    }
}

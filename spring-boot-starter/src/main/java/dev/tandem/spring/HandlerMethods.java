package dev.tandem.spring;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.Recurring;
import dev.tandem.api.TaskHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import tools.jackson.databind.json.JsonMapper;

/** Finds the methods with {@link TaskHandler} or {@link Recurring} among the beans. Does not create lazy beans. */
final class HandlerMethods {

    private static final Logger log = LoggerFactory.getLogger(HandlerMethods.class);

    private final ConfigurableListableBeanFactory beans;
    private final HandlerMethodParser parser;
    private final List<String> problems;

    /** @param problems gets what is wrong with the methods */
    HandlerMethods(ConfigurableListableBeanFactory beans, JsonMapper json, List<String> problems) {
        this.beans = beans;
        this.parser = new HandlerMethodParser(json, beans::resolveEmbeddedValue);
        this.problems = problems;
    }

    List<HandlerMethod> find() {
        List<HandlerMethod> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                Class<?> type = type(name);
                if (type != null
                        && AnnotationUtils.isCandidateClass(type, List.of(TaskHandler.class, Recurring.class))) {
                    collect(name, type, found);
                }
            }
        }
        return found;
    }

    /** Returns the class behind the bean's proxies; null if it is not known. */
    private @Nullable Class<?> type(String name) {
        try {
            // Behind a scoped proxy there is the bean of this name.
            String target = ScopedProxyUtils.getTargetBeanName(name);
            Class<?> type =
                    AutoProxyUtils.determineTargetClass(beans, beans.containsBeanDefinition(target) ? target : name);
            if (type != null && Proxy.isProxyClass(type) && beans.containsSingleton(name)) {
                return AopProxyUtils.ultimateTargetClass(beans.getBean(name));
            }
            return type;
        } catch (RuntimeException | LinkageError e) {
            // Spring itself starts with such a bean, for instance one of an optional library that is not there.
            log.debug("The class of the bean {} is not known, so it has no handlers", name, e);
            return null;
        }
    }

    private void collect(String name, Class<?> type, List<HandlerMethod> found) {
        Map<Method, TaskHandler> methods = MethodIntrospector.selectMethods(
                type, (MethodIntrospector.MetadataLookup<@Nullable TaskHandler>) HandlerMethods::annotation);
        methods.forEach((method, annotation) -> {
            Recurring recurring = recurring(method);
            BeanReference bean = new BeanReference(beans, name);
            try {
                Object created = bean.getIfCreated();
                HandlerMethod handler = recurring == null
                        ? parser.parse(bean, type, method, annotation)
                        : parser.parse(bean, type, method, annotation, recurring);
                if (created != null) {
                    Invocables.of(method, created);
                }
                found.add(handler);
            } catch (IllegalArgumentException | IllegalStateException | InvalidTaskException e) {
                problems.add(type.getName() + "." + method.getName() + ": " + e.getMessage());
            }
        });
    }

    /** Returns the annotation of a method, or the one that a method with {@link Recurring} alone stands for. */
    private static @Nullable TaskHandler annotation(Method method) {
        MergedAnnotation<TaskHandler> merged =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(TaskHandler.class);
        if (merged.isPresent()) {
            return merged.synthesize();
        }
        Recurring recurring = recurring(method);
        return recurring == null
                ? null
                : MergedAnnotation.of(
                                TaskHandler.class,
                                Map.of(
                                        "queue",
                                        recurring.queue(),
                                        "type",
                                        recurring.type().isEmpty() ? recurring.id() : recurring.type()))
                        .synthesize();
    }

    private static @Nullable Recurring recurring(Method method) {
        MergedAnnotation<Recurring> merged =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(Recurring.class);
        return merged.isPresent() ? merged.synthesize() : null;
    }
}

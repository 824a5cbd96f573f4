package dev.tandem.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** A bean by name, created when it is first needed if it is lazy. Thread-safe. */
final class BeanReference {

    private final ConfigurableListableBeanFactory beans;
    private final String name;
    private final boolean singleton;
    private volatile @Nullable Object bean;

    BeanReference(ConfigurableListableBeanFactory beans, String name) {
        this.beans = beans;
        this.name = name;
        this.singleton = beans.isSingleton(name);
    }

    Object get() {
        Object known = bean;
        if (known == null) {
            known = beans.getBean(name);
            if (singleton) {
                bean = known;
            }
        }
        return known;
    }

    /** Returns the bean if it has been created already. */
    @Nullable
    Object getIfCreated() {
        return singleton && beans.containsSingleton(name) ? get() : null;
    }
}

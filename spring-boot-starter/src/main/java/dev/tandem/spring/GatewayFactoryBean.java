package dev.tandem.spring;

import dev.tandem.api.TaskClient;
import dev.tandem.client.TransactionBoundary;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Makes the bean of a gateway. The client is created at the first submission, so that gateways may be injected anywhere. */
final class GatewayFactoryBean implements FactoryBean<Object>, BeanFactoryAware, BeanNameAware, InitializingBean {

    private final Class<?> type;
    private @Nullable ConfigurableListableBeanFactory beans;
    private @Nullable String name;
    private @Nullable Gateway gateway;
    private @Nullable Object proxy;

    GatewayFactoryBean(Class<?> type) {
        this.type = type;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans = (ConfigurableListableBeanFactory) beanFactory;
    }

    @Override
    public void setBeanName(String beanName) {
        name = beanName;
    }

    @Override
    public void afterPropertiesSet() {
        ConfigurableListableBeanFactory factory = beans;
        String ownName = name;
        if (factory == null || ownName == null) {
            throw new IllegalStateException("The bean factory has not been set");
        }
        // The client is made last. Without this it would be closed first, and beans could not submit when they are
        // destroyed.
        for (String each : factory.getBeanNamesForType(TaskClient.class, true, false)) {
            factory.registerDependentBean(each, ownName);
        }
        Supplier<TaskClient> client = SingletonSupplier.of(() -> factory.getBean(TaskClient.class));
        Supplier<TransactionBoundary> transactions = SingletonSupplier.of(() ->
                factory.getBeanProvider(TransactionBoundary.class).getIfAvailable(() -> TransactionBoundary.NONE));
        Gateway made = Gateway.of(type, factory::resolveEmbeddedValue, client, transactions);
        gateway = made;
        proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, made);
    }

    /** Returns the methods that submit tasks. */
    List<GatewayMethod> methods() {
        return gateway == null ? List.of() : gateway.methods();
    }

    @Override
    public @Nullable Object getObject() {
        return proxy;
    }

    @Override
    public Class<?> getObjectType() {
        return type;
    }
}

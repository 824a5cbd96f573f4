package dev.tandem.spring;

import dev.tandem.api.TaskClient;
import dev.tandem.client.TransactionBoundary;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Makes the bean of a gateway. The client is created at the first submission, so that gateways may be injected anywhere. */
final class GatewayFactoryBean implements FactoryBean<Object>, BeanFactoryAware, InitializingBean {

    private final Class<?> type;
    private @Nullable ConfigurableBeanFactory beans;
    private @Nullable Gateway gateway;
    private @Nullable Object proxy;

    GatewayFactoryBean(Class<?> type) {
        this.type = type;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans = (ConfigurableBeanFactory) beanFactory;
    }

    @Override
    public void afterPropertiesSet() {
        ConfigurableBeanFactory factory = beans;
        if (factory == null) {
            throw new IllegalStateException("The bean factory has not been set");
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

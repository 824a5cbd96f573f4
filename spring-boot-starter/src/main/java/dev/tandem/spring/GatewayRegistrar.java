package dev.tandem.spring;

import dev.tandem.api.TaskGateway;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.ResourceLoaderAware;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Registers a bean for each {@link TaskGateway} in the packages of the application. */
final class GatewayRegistrar
        implements ImportBeanDefinitionRegistrar, BeanFactoryAware, EnvironmentAware, ResourceLoaderAware {

    private @Nullable BeanFactory beans;
    private @Nullable Environment environment;
    private @Nullable ResourceLoader resources;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        beans = beanFactory;
    }

    @Override
    public void setEnvironment(Environment value) {
        environment = value;
    }

    @Override
    public void setResourceLoader(ResourceLoader resourceLoader) {
        resources = resourceLoader;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        if (beans == null || environment == null || resources == null || !AutoConfigurationPackages.has(beans)) {
            return;
        }
        Scanner scanner = new Scanner(environment, resources);
        for (String each : AutoConfigurationPackages.get(beans)) {
            for (BeanDefinition found : scanner.findCandidateComponents(each)) {
                register(String.valueOf(found.getBeanClassName()), registry, resources.getClassLoader());
            }
        }
    }

    private static void register(String name, BeanDefinitionRegistry registry, @Nullable ClassLoader loader) {
        if (registry.containsBeanDefinition(name)) {
            return;
        }
        Class<?> type;
        try {
            type = ClassUtils.forName(name, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new StartException(List.of(name + ": the gateway cannot be loaded: " + e));
        }
        RootBeanDefinition definition = new RootBeanDefinition(GatewayFactoryBean.class);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, type);
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, type);
        registry.registerBeanDefinition(name, definition);
    }

    private static final class Scanner extends ClassPathScanningCandidateComponentProvider {

        Scanner(Environment environment, ResourceLoader resources) {
            super(false, environment);
            setResourceLoader(resources);
            addIncludeFilter(new AnnotationTypeFilter(TaskGateway.class, true, false));
        }

        /** Unlike Spring's own, accepts interfaces. */
        @Override
        protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
            return definition.getMetadata().isIndependent()
                    && !definition.getMetadata().isAnnotation();
        }
    }
}

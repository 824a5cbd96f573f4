package dev.tandem.test;

import dev.tandem.api.Interceptor;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskHandler;
import java.io.IOException;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Leaves out of a {@link TandemTest} the components that are neither handlers nor interceptors. */
final class TandemTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<TandemTest> {

    TandemTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected Set<Class<?>> getKnownIncludes() {
        return Set.of(Interceptor.class, SubmitInterceptor.class);
    }

    @Override
    protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory readers) throws IOException {
        return reader.getAnnotationMetadata().hasAnnotatedMethods(TaskHandler.class.getName())
                || super.defaultInclude(reader, readers);
    }
}

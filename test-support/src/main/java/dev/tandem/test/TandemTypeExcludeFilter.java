package dev.tandem.test;

import dev.tandem.api.TaskHandler;
import java.io.IOException;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Leaves out of a {@link TandemTest} the components without handlers. */
final class TandemTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<TandemTest> {

    TandemTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory readers) throws IOException {
        return reader.getAnnotationMetadata().hasAnnotatedMethods(TaskHandler.class.getName())
                || super.defaultInclude(reader, readers);
    }
}

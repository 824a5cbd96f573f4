package dev.tandem.opentelemetry;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Programs that only submit use this module too, so it needs no more than the API. */
@AnalyzeClasses(packages = "dev.tandem.opentelemetry", importOptions = ImportOption.DoNotIncludeTests.class)
class OpenTelemetryArchitectureTest {

    @ArchTest
    static final ArchRule itDependsOnTheApiAlone = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.tandem.opentelemetry..",
                    "dev.tandem.api..",
                    "java..",
                    "org.slf4j..",
                    "io.opentelemetry.api..",
                    "io.opentelemetry.context..",
                    "org.jspecify.annotations..");
}

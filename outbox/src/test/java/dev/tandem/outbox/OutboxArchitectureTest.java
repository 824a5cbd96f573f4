package dev.tandem.outbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The boundaries of this module, which the server does not depend on. */
@AnalyzeClasses(packages = "dev.tandem.outbox", importOptions = ImportOption.DoNotIncludeTests.class)
class OutboxArchitectureTest {

    /** Only one class needs a driver, which the application may not have. */
    @ArchTest
    static final ArchRule theOutboxDependsOnlyOnTheApi = classes()
            .that()
            .doNotHaveSimpleName("PostgresListener")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.tandem.outbox..",
                    "dev.tandem.api..",
                    "java..",
                    "javax.sql..",
                    "org.slf4j..",
                    "tools.jackson..",
                    "org.jspecify.annotations..");
}

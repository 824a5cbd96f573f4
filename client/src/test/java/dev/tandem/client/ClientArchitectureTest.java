package dev.tandem.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The boundaries of this module, which the server does not depend on. */
@AnalyzeClasses(packages = "dev.tandem.client", importOptions = ImportOption.DoNotIncludeTests.class)
class ClientArchitectureTest {

    /** A program that only submits has neither Redis nor Spring. */
    @ArchTest
    static final ArchRule theClientNeedsTheBrokersClientsAndJackson = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.tandem.client..",
                    "dev.tandem.api..",
                    "dev.tandem.task..",
                    "dev.tandem.kafka..",
                    "dev.tandem.rabbit..",
                    "tools.jackson..",
                    "org.slf4j..",
                    "java..",
                    "org.jspecify.annotations..");
}

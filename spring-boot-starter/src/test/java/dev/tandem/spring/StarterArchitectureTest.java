package dev.tandem.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.tandem.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class StarterArchitectureTest {

    /** The rest of Tandem stays behind these modules. */
    @ArchTest
    static final ArchRule theStarterNeedsTheClientAndTheRuntime = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.tandem.ordering..",
                    "dev.tandem.scheduler..",
                    "dev.tandem.server..",
                    "org.apache.kafka..",
                    "com.rabbitmq..",
                    "io.lettuce..");

    /** What applications use is in the API; only auto-configurations are named elsewhere. */
    @ArchTest
    static final ArchRule onlyAutoConfigurationsArePublic =
            classes().that().arePublic().should().haveSimpleNameEndingWith("AutoConfiguration");

    /** Devtools loads the application anew: nothing of an old one may be kept by a class. */
    @ArchTest
    static final ArchRule noClassKeepsAnything =
            fields().that().areStatic().should().beFinal();
}

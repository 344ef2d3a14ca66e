package drover.opsagent.script;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ActionName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AttemptDiagramTest {
    private static final Path DIAGRAM = Path.of("..", "docs", "diagrams", "attempt.mmd");

    @Test
    @DisplayName("The committed diagram is what the script does (-Dupdate writes it)")
    void theDiagramIsWhatTheScriptDoes() throws IOException {
        String drawn = AttemptDiagram.mermaid();
        if (System.getProperty("update") != null) {
            Files.writeString(DIAGRAM, drawn);
        }
        assertThat(Files.readString(DIAGRAM))
                .as("write it anew: ./mvnw -pl ops-agent test -Dtest=AttemptDiagramTest -Dupdate")
                .isEqualTo(drawn);
    }

    @Test
    @DisplayName("Once backward, never forward again")
    void noStepBackLeadsToAnAction() {
        Set<String> actions =
                Set.of(ActionName.values()).stream()
                        .map(ActionName::wireName)
                        .collect(Collectors.toSet());
        assertThat(AttemptDiagram.moves().keySet())
                .filteredOn(move -> move.from().startsWith("restore_"))
                .isNotEmpty()
                .noneMatch(move -> actions.contains(move.to()));
    }
}

package drover.opsagent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Action;
import drover.model.AgentUpgradeAction;
import drover.model.UpgradeAction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AttemptDiagramTest {
    private static final Path DIAGRAMS = Path.of("..", "docs", "diagrams");

    @Test
    @DisplayName("The committed diagram is what the script does (-Dupdate writes it)")
    void theDiagramIsWhatTheScriptDoes() throws IOException {
        isDrawn("attempt.mmd", AttemptDiagram.moves());
        isDrawn("agent-upgrade.mmd", AttemptDiagram.agentMoves());
    }

    private static void isDrawn(String file, Map<AttemptDiagram.Move, Set<String>> moves)
            throws IOException {
        String drawn = AttemptDiagram.mermaid(moves);
        if (System.getProperty("update") != null) {
            Files.writeString(DIAGRAMS.resolve(file), drawn);
        }
        assertThat(Files.readString(DIAGRAMS.resolve(file)))
                .as("write it anew: ./mvnw -pl ops-agent test -Dtest=AttemptDiagramTest -Dupdate")
                .isEqualTo(drawn);
    }

    @Test
    @DisplayName("Once backward, never forward again")
    void noStepBackLeadsToAnAction() {
        Set<String> actions =
                Stream.concat(
                                Stream.of(UpgradeAction.values()),
                                Stream.of(AgentUpgradeAction.values()))
                        .map(Action::wireName)
                        .collect(Collectors.toSet());
        Set<AttemptDiagram.Move> moves = new HashSet<>(AttemptDiagram.moves().keySet());
        moves.addAll(AttemptDiagram.agentMoves().keySet());
        assertThat(moves)
                .filteredOn(move -> move.from().startsWith("restore_"))
                .isNotEmpty()
                .noneMatch(move -> actions.contains(move.to()));
    }
}

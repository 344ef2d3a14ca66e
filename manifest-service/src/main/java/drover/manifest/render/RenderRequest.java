package drover.manifest.render;

import drover.manifest.parse.ProgramTemplate;
import drover.manifest.parse.TemplatedConfigFile;
import drover.model.program.BinaryName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is to be rendered.
 *
 * @param targetVersion for templates; may be empty when only the launch specification is wanted
 * @param initial true to render the program's own files as well; a change of the same path wins
 */
public record RenderRequest(
        BinaryName binary,
        String targetVersion,
        List<TemplatedConfigFile> changes,
        List<RenderTargetNode> nodes,
        boolean initial) {
    public RenderRequest {
        changes = List.copyOf(changes);
        nodes = List.copyOf(nodes);
    }

    /** The files to render for this program, each path once. */
    public List<TemplatedConfigFile> filesToRender(ProgramTemplate program) {
        Map<Object, TemplatedConfigFile> byPath = new LinkedHashMap<>();
        if (initial) {
            program.configs().forEach(change -> byPath.put(change.path(), change));
        }
        changes.forEach(change -> byPath.put(change.path(), change));
        return new ArrayList<>(byPath.values());
    }
}

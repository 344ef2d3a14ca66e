package drover.manifest.parse;

import java.util.Map;
import java.util.Optional;

/**
 * Template files as found on disk.
 *
 * @param texts the text of each that can be used, by name
 * @param unusable why each of the others cannot be used, by name
 */
public record LoadedTemplateFiles(Map<String, String> texts, Map<String, String> unusable) {
    public LoadedTemplateFiles {
        texts = Map.copyOf(texts);
        unusable = Map.copyOf(unusable);
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(texts.get(name));
    }

    /** Why there is no text of this name. */
    public String unusableReason(String name, Object chain) {
        return unusable.getOrDefault(
                name,
                "There is no template file '"
                        + name
                        + "': put it under templates/"
                        + chain
                        + "/ or templates/.");
    }
}

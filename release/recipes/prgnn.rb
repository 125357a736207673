class Prgnn < Formula
  desc "From fMRI scans to the brain regions that tell two groups apart"
  version "<<.Version>>"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "<<url "darwin-arm64">>"
      sha256 "<<sum "darwin-arm64">>"
    end
    on_intel do
      url "<<url "darwin-amd64">>"
      sha256 "<<sum "darwin-amd64">>"
    end
  end

  on_linux do
    on_arm do
      url "<<url "linux-arm64">>"
      sha256 "<<sum "linux-arm64">>"
    end
    on_intel do
      url "<<url "linux-amd64">>"
      sha256 "<<sum "linux-amd64">>"
    end
  end

  def install
    bin.install "pipeline"
    bin.install_symlink "pipeline" => "prgnn"
    generate_completions_from_executable(bin/"pipeline", "completion", shells: [:bash, :zsh, :fish])
    (man1/"pipeline.1").write Utils.safe_popen_read(bin/"pipeline", "help", "--man")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pipeline version")
  end
end

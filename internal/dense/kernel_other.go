package dense

func kernelOf[T Float]() *kernel[T] { return portable[T]() }
